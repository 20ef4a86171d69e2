// `overlaps` against a count of the bytes that both views really touch.
#include <intent/overlap.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using intent::index_t;
using intent::View;

namespace {

constexpr index_t kBytes = 4096;

template <class T, int Rank>
void touch(const View<T, Rank>& view, const unsigned char* base, std::vector<bool>& bytes) {
    index_t coordinates[Rank] = {};
    if (intent::element_count(view) == 0) {
        return;
    }
    for (;;) {
        index_t offset = 0;
        for (int axis = 0; axis < Rank; ++axis) {
            offset += coordinates[axis] * view.strides[axis];
        }
        const index_t first = reinterpret_cast<const unsigned char*>(view.data + offset) - base;
        for (index_t byte = 0; byte < static_cast<index_t>(sizeof(T)); ++byte) {
            bytes[static_cast<std::size_t>(first + byte)] = true;
        }
        int axis = Rank - 1;
        while (axis >= 0 && ++coordinates[axis] == view.extents[axis]) {
            coordinates[axis--] = 0;
        }
        if (axis < 0) {
            return;
        }
    }
}

template <class A, class B, int Rank>
bool share_a_byte(const View<A, Rank>& a, const View<B, Rank>& b, const unsigned char* base) {
    std::vector<bool> in_a(kBytes);
    std::vector<bool> in_b(kBytes);
    touch(a, base, in_a);
    touch(b, base, in_b);
    for (std::size_t i = 0; i < in_a.size(); ++i) {
        if (in_a[i] && in_b[i]) {
            return true;
        }
    }
    return false;
}

// A view of a few elements, with strides of any sign, around the middle of the memory.
template <class T, int Rank>
View<T, Rank> random_view(test::Random& random, unsigned char* base) {
    View<T, Rank> view{reinterpret_cast<T*>(base + kBytes / 2) + random.integer(-20, 20), {}, {}};
    for (int axis = 0; axis < Rank; ++axis) {
        view.extents[axis] = random.integer(random.integer(0, 9) == 0 ? 0 : 1, 4);
        view.strides[axis] = random.integer(-24, 24);
    }
    return view;
}

template <class A, class B, int Rank>
void compare(test::Random& random, unsigned char* base) {
    const View<A, Rank> a = random_view<A, Rank>(random, base);
    const View<B, Rank> b = random_view<B, Rank>(random, base);
    EXPECT(intent::overlaps(a, b) == share_a_byte(a, b, base));
    EXPECT(intent::overlaps(a, b) == intent::overlaps(b, a));
}

}  // namespace

int main() {
    alignas(64) static unsigned char memory[kBytes];
    test::Random random(1);
    for (int repeat = 0; repeat < 3000; ++repeat) {
        compare<float, float, 1>(random, memory);
        compare<float, const float, 2>(random, memory);
        compare<double, float, 2>(random, memory);
        compare<short, double, 3>(random, memory);
    }

    float* const a = reinterpret_cast<float*>(memory);
    // Interleaved halves, blocks of columns, and rows of one matrix.
    EXPECT(!intent::overlaps(View<float, 1>{a, {8}, {2}}, View<float, 1>{a + 1, {8}, {2}}));
    EXPECT(intent::overlaps(View<float, 1>{a, {8}, {2}}, View<float, 1>{a + 2, {8}, {2}}));
    EXPECT(!intent::overlaps(View<float, 2>{a, {10, 4}, {8, 1}}, View<float, 2>{a + 4, {10, 4}, {8, 1}}));
    EXPECT(intent::overlaps(View<float, 2>{a, {10, 5}, {8, 1}}, View<float, 2>{a + 4, {10, 4}, {8, 1}}));
    EXPECT(!intent::overlaps(View<float, 1>{a, {8}, {1}}, View<float, 1>{a + 8, {8}, {1}}));
    // A view reversed is the same memory but not the same elements.
    const View<float, 1> forward{a, {8}, {1}};
    const View<float, 1> backward{a + 7, {8}, {-1}};
    EXPECT(intent::overlaps(forward, backward) && !intent::same_elements(forward, backward));
    EXPECT(intent::same_elements(forward, View<const float, 1>{a, {8}, {1}}));
    EXPECT(!intent::same_elements(forward, View<float, 1>{a, {7}, {1}}));
    EXPECT(!intent::same_elements(forward, View<int, 1>{reinterpret_cast<int*>(memory), {8}, {1}}));
    EXPECT(intent::same_elements(View<float, 2>{a, {1, 8}, {99, 1}}, View<float, 2>{a, {1, 8}, {8, 1}}));
    // Scalars.
    EXPECT(intent::overlaps(View<float, 0>{a + 3}, forward) && !intent::overlaps(View<float, 0>{a + 8}, forward));
    EXPECT(intent::same_elements(View<float, 0>{a}, View<float, 0>{a}));
    // Sizes near the limits do not overflow the search.
    EXPECT(
        intent::overlaps(View<char, 2>{reinterpret_cast<char*>(memory), {index_t{1} << 31, 3}, {1, index_t{1} << 31}},
                         View<char, 1>{reinterpret_cast<char*>(memory) + 77, {2}, {index_t{1} << 30}}));
    return expect::failures();
}
