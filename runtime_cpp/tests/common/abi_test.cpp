#include <intent/abi.hpp>

#include "../expect.hpp"

#include <cstring>

using intent::view_of;

namespace {

template <class Failure, class Call>
bool refuses(Call call, const char* message) {
    try {
        call();
    } catch (const Failure& failure) {
        return std::strcmp(failure.what(), message) == 0;
    }
    return false;
}

}  // namespace

int main() {
    float numbers[6] = {0, 1, 2, 3, 4, 5};
    const std::int64_t extents[2] = {2, 3};
    const std::int64_t strides[2] = {-3, 1};
    const intent_view described{numbers + 3, extents, strides};
    const intent::View<const float, 2> view = view_of<const float, 2>(&described, "k: x");
    EXPECT(view.extent(0) == 2 && view.extent(1) == 3 && view(0, 0) == 3.0f && view(1, 2) == 2.0f);
    const intent_view one{numbers + 4, nullptr, nullptr};
    EXPECT((view_of<float, 0>(&one, "k: x")() == 4.0f));

    const intent_view nowhere{nullptr, extents, strides};
    EXPECT(refuses<intent::ShapeError>([&] { view_of<float, 2>(&nowhere, "k: x"); }, "k: x has no memory"));
    EXPECT(refuses<intent::ShapeError>([] { view_of<float, 2>(nullptr, "k: x"); }, "k: x is null"));
    const std::int64_t none[2] = {0, 3};
    const intent_view empty{nullptr, none, strides};
    EXPECT((view_of<float, 2>(&empty, "k: x").extent(0) == 0));
    const std::int64_t negative[2] = {2, -3};
    const intent_view wrong{numbers, negative, strides};
    EXPECT(refuses<intent::ShapeError>([&] { view_of<const float, 2>(&wrong, "k: x"); },
                                       "k: x has a negative extent along axis 1"));

    // Readers may see an element several times, writers may not.
    const std::int64_t repeated[2] = {0, 1};
    const intent_view broadcast{numbers, extents, repeated};
    EXPECT((view_of<const float, 2>(&broadcast, "k: x")(1, 2) == 2.0f));
    EXPECT(refuses<intent::StrideError>(
        [&] { view_of<float, 2>(&broadcast, "k: x"); },
        "k: x is written and has a stride of 0 along axis 0: elements may share memory"));
    const std::int64_t sliding[2] = {1, 1};
    const intent_view windows{numbers, extents, sliding};
    EXPECT((view_of<const float, 2>(&windows, "k: x")(1, 2) == 3.0f));
    EXPECT(refuses<intent::StrideError>(
        [&] { view_of<float, 2>(&windows, "k: x"); },
        "k: x is written and has a stride of 1 along axis 1: elements may share memory"));
    const std::int64_t touching[2] = {-3, -1};
    const intent_view dense{numbers + 5, extents, touching};
    EXPECT((view_of<float, 2>(&dense, "k: x")(1, 2) == 0.0f));
    const std::int64_t some[2] = {0, 3};
    const std::int64_t zeros[2] = {0, 0};
    const intent_view without{numbers, some, zeros};
    EXPECT((view_of<float, 2>(&without, "k: x").extent(1) == 3));
    return expect::failures();
}
