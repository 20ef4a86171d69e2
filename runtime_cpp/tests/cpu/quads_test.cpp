// Panels of quads against the definition of their layout.
#include <intent/cpu/quads.hpp>
#include <intent/integer.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using namespace intent;

namespace {

constexpr index_t kLanes = kQuadLanes;
constexpr index_t kBytes = 4 * kQuadSteps;  // the depth of a block in elements

// What byte `k` of lane `lane` should be, and how many bytes of a packed panel are something else.
template <class Packed, class Expected, class Place>
int wrong_bytes(const std::vector<Packed>& panel, index_t depth, Expected expected, Place place) {
    int wrong = 0;
    for (index_t lane = 0; lane < kLanes; ++lane) {
        for (index_t k = 0; k < depth; ++k) {
            const std::uint32_t word = panel[static_cast<std::size_t>(place(lane, k / 4))].bytes;
            wrong += static_cast<std::uint8_t>(word >> (8 * (k % 4))) != static_cast<std::uint8_t>(expected(lane, k));
        }
    }
    return wrong;
}

// Panels of `lanes` rows of a and of columns of b: in memory with these strides, and computed.
template <class T>
void check(index_t lanes, index_t depth, index_t lane_stride, index_t step_stride) {
    using Packed = Quad8<ByteOf<T>, ByteOf<T>>;
    const index_t first = 3;  // lane of the operand
    const index_t blocks = ceil_div(depth, kBytes);
    test::Random random(11);
    std::vector<T> memory(static_cast<std::size_t>((lanes + first) * lane_stride + depth * step_stride));
    for (T& element : memory) {
        element = static_cast<T>(random.bits());
    }
    const Matrix<const T> a{memory.data(), lane_stride, step_stride};
    const Matrix<const T> b = transposed(a);
    const auto a_computed = computed<T>([=](index_t m, index_t k) { return a(m, k); });
    const auto b_computed = computed<T>([=](index_t k, index_t n) { return b(k, n); });
    const auto element = [=](index_t lane, index_t k) { return lane < lanes && k < depth ? a(first + lane, k) : T{0}; };
    const auto in_rows = [](index_t lane, index_t quad) {
        return (quad / kQuadSteps * kLanes + lane) * kQuadSteps + quad % kQuadSteps;
    };
    const auto in_columns = [](index_t lane, index_t quad) { return quad * kLanes + lane; };

    const index_t quads = blocks * kQuadSteps;
    const std::vector<Packed> garbage(static_cast<std::size_t>(quads * kLanes), Packed{0x55555555u});
    std::vector<Packed> panel = garbage;
    pack_rows<kQuadLanes>(Quads{a, depth}, first, lanes, 0, quads, panel.data());
    EXPECT(wrong_bytes(panel, quads * 4, element, in_rows) == 0);
    panel = garbage;
    pack_rows<kQuadLanes>(Quads{a_computed, depth}, first, lanes, 0, quads, panel.data());
    EXPECT(wrong_bytes(panel, quads * 4, element, in_rows) == 0);
    panel = garbage;
    pack_columns<kQuadLanes>(Quads{b, depth}, first, lanes, 0, quads, panel.data());
    EXPECT(wrong_bytes(panel, quads * 4, element, in_columns) == 0);
    panel = garbage;
    pack_columns<kQuadLanes>(Quads{b_computed, depth}, first, lanes, 0, quads, panel.data());
    EXPECT(wrong_bytes(panel, quads * 4, element, in_columns) == 0);

    // From the second block on: what is packed in steps is the same.
    if (blocks > 1) {
        const auto later = [=](index_t lane, index_t k) { return element(lane, k + kBytes); };
        pack_rows<kQuadLanes>(Quads{a, depth}, first, lanes, kQuadSteps, quads - kQuadSteps, panel.data());
        EXPECT(wrong_bytes(panel, (quads - kQuadSteps) * 4, later, in_rows) == 0);
    }
}

}  // namespace

int main() {
    for (const index_t lanes : {1, 5, 31, 32}) {
        for (const index_t depth : {1, 2, 3, 4, 7, 63, 64, 65, 130, 200}) {
            check<std::int8_t>(lanes, depth, depth + 5, 1);
            check<std::int8_t>(lanes, depth, 1, lanes + 6);
            check<std::uint8_t>(lanes, depth, 3, 2 * (lanes + 40));
        }
    }
    static_assert(kFitsQuad8<bool> && kFitsQuad8<std::int8_t> && kFitsQuad8<std::uint8_t>);
    static_assert(!kFitsQuad8<std::int16_t> && !kFitsQuad8<float>);
    static_assert(std::is_same_v<ByteOf<bool>, std::uint8_t> && std::is_same_v<ByteOf<std::int8_t>, std::int8_t>);
    return expect::failures();
}
