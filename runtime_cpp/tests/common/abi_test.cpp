#include <intent/abi.hpp>

#include "../expect.hpp"

int main() {
    float numbers[6] = {0, 1, 2, 3, 4, 5};
    const std::int64_t extents[2] = {2, 3};
    const std::int64_t strides[2] = {-3, 1};
    const intent_view described{numbers + 3, extents, strides};
    const intent::View<const float, 2> view = intent::view_of<const float, 2>(described);
    EXPECT(view.extent(0) == 2 && view.extent(1) == 3 && view(0, 0) == 3.0f && view(1, 2) == 2.0f);
    EXPECT(intent::view_of<float, 0>(intent_view{numbers + 4, nullptr, nullptr})() == 4.0f);
    return expect::failures();
}
