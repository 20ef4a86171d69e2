// Products of bytes, four at a time: each 32-bit word holds the elements of four neighbouring k.
//
// They are packed block by block, 32 lanes (rows of a, columns of b) by 16 quads, 2 KiB each: a lane after the other in
// a panel of a, a quad after the other in a panel of b. What is past the edges is zero.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/parallel.hpp>

#include <cstring>
#include <type_traits>

namespace intent {

// Four bytes, the first in the lowest eight bits: of type A in a panel of a, of type B in a panel of b.
template <class A, class B>
struct Quad8 {
    std::uint32_t bytes;
};

// True for types whose values are those of one byte.
template <class T>
constexpr bool kFitsQuad8 = std::is_integral_v<T> && sizeof(T) == 1;

// The byte that holds such values.
template <class T>
using ByteOf = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;

constexpr int kQuadLanes = 32;
constexpr int kQuadSteps = 16;

// An operand read as quads; `depth` is its extent along k.
template <class Operand>
struct Quads {
    Operand operand;
    index_t depth;
};
template <class Operand>
Quads(Operand, index_t) -> Quads<Operand>;

namespace quads_detail {

constexpr index_t kBlockDepth = index_t{4} * kQuadSteps;
constexpr index_t kBlockWords = index_t{kQuadLanes} * kQuadSteps;

template <class Element>
inline std::uint32_t byte_of(Element element) noexcept {
    return static_cast<std::uint8_t>(element);
}

inline void clear(std::uint32_t* first, const std::uint32_t* last) noexcept {
    std::memset(first, 0, static_cast<std::size_t>(last - first) * sizeof *first);
}

// Neighbours along k are neighbours in memory, or computed side by side: block[lane][quad].
template <class Element>
inline void pack_by_lane(Element element, index_t lanes, index_t depth, std::uint32_t* __restrict__ block) {
    for (index_t lane = 0; lane < kQuadLanes; ++lane) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(block + lane * kQuadSteps);
        if (lane < lanes && depth >= kBlockDepth) {
            #pragma omp simd
            for (index_t k = 0; k < kBlockDepth; ++k) {
                bytes[k] = static_cast<std::uint8_t>(element(lane, k));
            }
            continue;
        }
        const index_t live = lane < lanes ? depth : 0;
        for (index_t k = 0; k < live; ++k) {
            bytes[k] = static_cast<std::uint8_t>(element(lane, k));
        }
        std::memset(bytes + live, 0, static_cast<std::size_t>(kBlockDepth - live));
    }
}

// Lanes are neighbours in memory, or computed side by side: block[quad][lane].
template <class Element>
inline void pack_by_quad(Element element, index_t lanes, index_t depth, std::uint32_t* __restrict__ block) {
    const auto quad = [&](index_t lane, index_t k) {
        return byte_of(element(lane, k)) | byte_of(element(lane, k + 1)) << 8 | byte_of(element(lane, k + 2)) << 16 |
               byte_of(element(lane, k + 3)) << 24;
    };
    const index_t live = least(lanes, kQuadLanes);
    const index_t whole = least(depth, kBlockDepth) / 4 * 4;
    std::uint32_t* words = block;
    for (index_t k = 0; k < whole; k += 4, words += kQuadLanes) {
        if (live == kQuadLanes) {
            #pragma omp simd
            for (index_t lane = 0; lane < kQuadLanes; ++lane) {
                words[lane] = quad(lane, k);
            }
            continue;
        }
        #pragma omp simd
        for (index_t lane = 0; lane < live; ++lane) {
            words[lane] = quad(lane, k);
        }
        clear(words + live, words + kQuadLanes);
    }
    clear(words, block + kBlockWords);
    for (index_t k = whole; k < least(depth, kBlockDepth); ++k) {
        for (index_t lane = 0; lane < live; ++lane) {
            words[lane] |= byte_of(element(lane, k)) << (8 * (k - whole));
        }
    }
}

// to[column][row] = from[row][column].
template <int kRows, int kColumns>
inline void transpose(const std::uint32_t* __restrict__ from, std::uint32_t* __restrict__ to) noexcept {
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            to[column * kRows + row] = from[row * kColumns + column];
        }
    }
}

// Packs blocks with `pack(k, target)`, k counted in elements.
template <class A, class B, class Pack>
inline void for_each_block(index_t k0, index_t depth, Quad8<A, B>* panel, Pack pack) {
    auto* const words = reinterpret_cast<std::uint32_t*>(panel);
    for (index_t k = 0; k < depth; k += kQuadSteps) {
        pack(4 * (k0 + k), words + k * kQuadLanes);
    }
}

}  // namespace quads_detail

// Packs rows m0 .. m0 + rows - 1 (at most 32 of them) of a, quads k0 .. k0 + depth - 1. On this thread.
template <int kWidth, class A, class B, class T>
void pack_rows(const Quads<Matrix<T>>& a, index_t m0, index_t rows, index_t k0, index_t depth, Quad8<A, B>* panel) {
    using namespace quads_detail;
    const Matrix<T>& matrix = a.operand;
    for_each_block(k0, depth, panel, [&](index_t k, std::uint32_t* block) {
        const T* const corner = &matrix(m0, k);
        const index_t row_stride = matrix.row_stride;
        const index_t column_stride = matrix.column_stride;
        if (column_stride == 1) {
            pack_by_lane([=](index_t row, index_t i) { return corner[row * row_stride + i]; }, rows, a.depth - k,
                         block);
        } else if (row_stride == 1) {
            alignas(64) std::uint32_t staged[kBlockWords];
            pack_by_quad([=](index_t row, index_t i) { return corner[row + i * column_stride]; }, rows, a.depth - k,
                         staged);
            transpose<kQuadSteps, kQuadLanes>(staged, block);
        } else {
            pack_by_lane([=](index_t row, index_t i) { return corner[row * row_stride + i * column_stride]; }, rows,
                         a.depth - k, block);
        }
    });
}
template <int kWidth, class A, class B, class T, class Value>
void pack_rows(const Quads<Computed<T, Value>>& a, index_t m0, index_t rows, index_t k0, index_t depth,
               Quad8<A, B>* panel) {
    using namespace quads_detail;
    for_each_block(k0, depth, panel, [&](index_t k, std::uint32_t* block) {
        pack_by_lane([&](index_t row, index_t i) { return a.operand(m0 + row, k + i); }, rows, a.depth - k, block);
    });
}

// Packs columns n0 .. n0 + columns - 1 (at most 32 of them) of b, quads k0 .. k0 + depth - 1. On this thread.
template <int kWidth, class A, class B, class T>
void pack_columns(const Quads<Matrix<T>>& b, index_t n0, index_t columns, index_t k0, index_t depth,
                  Quad8<A, B>* panel) {
    using namespace quads_detail;
    const Matrix<T>& matrix = b.operand;
    for_each_block(k0, depth, panel, [&](index_t k, std::uint32_t* block) {
        const T* const corner = &matrix(k, n0);
        const index_t row_stride = matrix.row_stride;
        const index_t column_stride = matrix.column_stride;
        if (column_stride == 1) {
            pack_by_quad([=](index_t column, index_t i) { return corner[column + i * row_stride]; }, columns,
                         b.depth - k, block);
        } else if (row_stride == 1) {
            alignas(64) std::uint32_t staged[kBlockWords];
            pack_by_lane([=](index_t column, index_t i) { return corner[column * column_stride + i]; }, columns,
                         b.depth - k, staged);
            transpose<kQuadLanes, kQuadSteps>(staged, block);
        } else {
            pack_by_quad([=](index_t column, index_t i) { return corner[column * column_stride + i * row_stride]; },
                         columns, b.depth - k, block);
        }
    });
}
template <int kWidth, class A, class B, class T, class Value>
void pack_columns(const Quads<Computed<T, Value>>& b, index_t n0, index_t columns, index_t k0, index_t depth,
                  Quad8<A, B>* panel) {
    using namespace quads_detail;
    for_each_block(k0, depth, panel, [&](index_t k, std::uint32_t* block) {
        pack_by_quad([&](index_t column, index_t i) { return b.operand(k + i, n0 + column); }, columns, b.depth - k,
                     block);
    });
}

}  // namespace intent
