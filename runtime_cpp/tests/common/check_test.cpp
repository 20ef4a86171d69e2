#include <intent/check.hpp>

#include "../expect.hpp"

#include <cstring>
#include <new>
#include <string>
#include <thread>

using expect::thrown_status;
using intent::View;

namespace {

const char* message_after(intent_status expected, const std::exception& error) {
    const intent_status status = intent::guarded([&] {
        if (const auto* known = dynamic_cast<const intent::Error*>(&error)) {
            throw *known;
        }
        throw std::bad_alloc();
    });
    EXPECT(status == expected);
    return intent::last_error();
}

// The message with which `body` is refused.
template <class Body>
std::string refusal(Body body, intent_status expected) {
    EXPECT(intent::guarded(body) == expected);
    return intent::last_error();
}

}  // namespace

int main() {
    EXPECT(std::strcmp(intent::last_error(), "") == 0);
    EXPECT(intent::guarded([] {}) == INTENT_OK);

    const View<const float, 2> table{nullptr, {3, 5}, {5, 1}};
    EXPECT(refusal([&] { intent::require_extents(table, "k: y must be [M, N]", 3, 4); }, INTENT_SHAPE_ERROR) ==
           "k: y must be [M, N]: it is [3, 5], not [3, 4]");
    EXPECT(refusal([] { intent::require_equal(3, 4, "k: K and L"); }, INTENT_SHAPE_ERROR) == "k: K and L: 3 and 4");
    EXPECT(refusal([] { intent::require_one_or_equal(0, 4, "k: K"); }, INTENT_SHAPE_ERROR) == "k: K: 0 and 4");
    EXPECT(refusal([&] { intent::require_stride(table.stride(0), -6, "k: x"); }, INTENT_STRIDE_ERROR) ==
           "k: x: it is 5, not -6");
    EXPECT(refusal([] { intent::require_capacity(65, 64, "k: scratch"); }, INTENT_CAPACITY_ERROR) ==
           "k: scratch: it takes 65 B");
    EXPECT(thrown_status<intent::Error>([] { throw intent::DeviceError("d"); }) == INTENT_DEVICE_ERROR);
    EXPECT(thrown_status<intent::Error>([&] {
               intent::require_extents(table, "a", 3, 5);
               intent::require_equal(4, 4, "a");
               intent::require_one_or_equal(1, 4, "a");
               intent::require_one_or_equal(4, 4, "a");
               intent::require_stride(table.stride(1), 1, "b");
               intent::require_capacity(64, 64, "c");
           }) == -1);

    float numbers[16] = {};
    const View<float, 1> left{numbers, {8}, {1}};
    const View<float, 1> right{numbers + 8, {8}, {1}};
    const View<float, 1> middle{numbers + 4, {8}, {1}};
    const View<const float, 1> read = left;
    EXPECT(thrown_status<intent::Error>([&] { intent::require_disjoint(left, right, "x"); }) == -1);
    EXPECT(thrown_status<intent::AliasError>([&] { intent::require_disjoint(left, middle, "x"); }) ==
           INTENT_ALIAS_ERROR);
    EXPECT(thrown_status<intent::AliasError>([&] { intent::require_disjoint(left, left, "x"); }) == INTENT_ALIAS_ERROR);
    EXPECT(thrown_status<intent::Error>([&] { intent::require_disjoint_or_same(left, read, "x"); }) == -1);
    EXPECT(thrown_status<intent::Error>([&] { intent::require_disjoint_or_same(left, right, "x"); }) == -1);
    EXPECT(thrown_status<intent::AliasError>([&] { intent::require_disjoint_or_same(left, middle, "x"); }) ==
           INTENT_ALIAS_ERROR);

    EXPECT(std::strcmp(message_after(INTENT_SHAPE_ERROR, intent::ShapeError("rows differ")), "rows differ") == 0);
    EXPECT(std::strcmp(message_after(INTENT_ALIAS_ERROR, intent::AliasError("x overlaps y")), "x overlaps y") == 0);
    EXPECT(std::strlen(message_after(INTENT_INTERNAL_ERROR, std::bad_alloc())) > 0);
    EXPECT(intent::guarded([] { throw 3; }) == INTENT_INTERNAL_ERROR);
    EXPECT(std::strlen(intent::last_error()) > 0);

    // A success keeps the last message; a shorter message replaces a longer one; a long one is cut, with its end.
    message_after(INTENT_SHAPE_ERROR, intent::ShapeError("short"));
    EXPECT(intent::guarded([] {}) == INTENT_OK && std::strcmp(intent::last_error(), "short") == 0);
    const std::string long_message(3 * intent::kMessageBytes, 'x');
    EXPECT(std::strlen(message_after(INTENT_DEVICE_ERROR, intent::DeviceError(long_message.c_str()))) ==
           intent::kMessageBytes - 1);

    const std::string long_text(3 * intent::kMessageBytes, 'x');
    EXPECT(std::strlen((intent::Message() << long_text.c_str() << 7).text()) == intent::kMessageBytes - 1);

    // Each thread has its own.
    std::thread([] { EXPECT(std::strcmp(intent::last_error(), "") == 0); }).join();
    return expect::failures();
}
