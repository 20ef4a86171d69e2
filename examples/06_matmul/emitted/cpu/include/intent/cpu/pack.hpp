// Packing: the operands of a matrix product copied into panels, in the order in which the micro-kernel reads them.
//
// A panel holds `kWidth` lanes (rows of a, columns of b) over `depth` steps of k: lane i of step k at panel[k * kWidth
// + i], converted to the type of the sums. Lanes past the edge are zero.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/transpose.hpp>

#include <cstring>
#include <type_traits>

namespace intent {

namespace detail {

// Steps of k that are staged at a time when neighbours in memory are neighbours in k: one line of each lane.
constexpr index_t kPackSteps = 16;

// Lanes are neighbours in memory, or computed side by side: every step is one run of kWidth elements.
template <int kWidth, class Acc, class Element>
inline void pack_lanes_adjacent(Element element, index_t lanes, index_t depth, Acc* __restrict__ panel) {
    if (lanes >= kWidth) {
        for (index_t k = 0; k < depth; ++k) {
            #pragma omp simd
            for (index_t lane = 0; lane < kWidth; ++lane) {
                panel[k * kWidth + lane] = static_cast<Acc>(element(lane, k));
            }
        }
        return;
    }
    for (index_t k = 0; k < depth; ++k) {
        for (index_t lane = 0; lane < kWidth; ++lane) {
            panel[k * kWidth + lane] = lane < lanes ? static_cast<Acc>(element(lane, k)) : Acc(0);
        }
    }
}

// Steps are neighbours in memory, or computed side by side: a few steps of all lanes are read into L1 and transposed.
template <int kWidth, class Acc, class Element>
inline void pack_steps_adjacent(Element element, index_t lanes, index_t depth, Acc* __restrict__ panel) {
    Acc staged[kWidth][kPackSteps] = {};
    const index_t live = least(lanes, kWidth);
    for (index_t k0 = 0; k0 < depth; k0 += kPackSteps) {
        const index_t steps = least(kPackSteps, depth - k0);
        for (index_t lane = 0; lane < live; ++lane) {
            if (steps == kPackSteps) {
                #pragma omp simd
                for (index_t k = 0; k < kPackSteps; ++k) {
                    staged[lane][k] = static_cast<Acc>(element(lane, k0 + k));
                }
            } else {
                for (index_t k = 0; k < steps; ++k) {
                    staged[lane][k] = static_cast<Acc>(element(lane, k0 + k));
                }
            }
        }
        Acc* const target = panel + k0 * kWidth;
        if constexpr (std::is_arithmetic_v<Acc>) {
            transpose_rows<kWidth>(steps, &staged[0][0], kPackSteps, target);
        } else {
            for (index_t k = 0; k < steps; ++k) {
                for (index_t lane = 0; lane < kWidth; ++lane) {
                    target[k * kWidth + lane] = staged[lane][k];
                }
            }
        }
    }
}

// A matrix seen as lanes x steps.
template <int kWidth, class Acc, class T>
inline void pack_strided(const T* data, index_t lane_stride, index_t step_stride, index_t lanes, index_t depth,
                         Acc* panel) {
    if constexpr (std::is_same_v<T, Acc>) {
        if (lane_stride == 1 && lanes >= kWidth) {
            for (index_t k = 0; k < depth; ++k) {
                std::memcpy(panel + k * kWidth, data + k * step_stride, kWidth * sizeof(Acc));
            }
            return;
        }
        if (step_stride == 1 && lanes >= kWidth) {
            transpose_rows<kWidth>(depth, data, lane_stride, panel);
            return;
        }
    }
    if (lane_stride == 1) {
        pack_lanes_adjacent<kWidth>([=](index_t lane, index_t k) { return data[k * step_stride + lane]; }, lanes, depth,
                                    panel);
    } else if (step_stride == 1) {
        pack_steps_adjacent<kWidth>([=](index_t lane, index_t k) { return data[lane * lane_stride + k]; }, lanes, depth,
                                    panel);
    } else {
        pack_lanes_adjacent<kWidth>([=](index_t lane, index_t k) { return data[lane * lane_stride + k * step_stride]; },
                                    lanes, depth, panel);
    }
}

}  // namespace detail

// Packs rows m0 .. m0 + rows - 1 (at most kWidth of them) of a, columns k0 .. k0 + depth - 1. On this thread.
template <int kWidth, class Acc, class T>
void pack_rows(const Matrix<T>& a, index_t m0, index_t rows, index_t k0, index_t depth, Acc* panel) {
    const T* const corner = a.data + m0 * a.row_stride + k0 * a.column_stride;
    detail::pack_strided<kWidth>(corner, a.row_stride, a.column_stride, rows, depth, panel);
}
template <int kWidth, class Acc, class T, class Value>
void pack_rows(const Computed<T, Value>& a, index_t m0, index_t rows, index_t k0, index_t depth, Acc* panel) {
    detail::pack_steps_adjacent<kWidth>([=](index_t row, index_t k) { return a(m0 + row, k0 + k); }, rows, depth,
                                        panel);
}

// Packs columns n0 .. n0 + columns - 1 (at most kWidth of them) of b, rows k0 .. k0 + depth - 1. On this thread.
template <int kWidth, class Acc, class T>
void pack_columns(const Matrix<T>& b, index_t n0, index_t columns, index_t k0, index_t depth, Acc* panel) {
    const T* const corner = b.data + k0 * b.row_stride + n0 * b.column_stride;
    detail::pack_strided<kWidth>(corner, b.column_stride, b.row_stride, columns, depth, panel);
}
template <int kWidth, class Acc, class T, class Value>
void pack_columns(const Computed<T, Value>& b, index_t n0, index_t columns, index_t k0, index_t depth, Acc* panel) {
    detail::pack_lanes_adjacent<kWidth>([=](index_t column, index_t k) { return b(k0 + k, n0 + column); }, columns,
                                        depth, panel);
}

// Packs all of `columns` columns from n0 on into panels that lie one after the other. On this thread.
template <int kWidth, class Acc, class B>
void pack_column_panels(const B& b, index_t n0, index_t columns, index_t k0, index_t depth, Acc* panels) {
    index_t j = 0;
    if constexpr (std::is_same_v<B, Matrix<Acc>> || std::is_same_v<B, Matrix<const Acc>>) {
        // Runs of several panels: of rows that lie far apart, single lines would share a few places of the first cache.
        constexpr index_t kPanels = 4;
        if (b.column_stride == 1) {
            for (; j + kPanels * kWidth <= columns; j += kPanels * kWidth) {
                const Acc* const corner = b.data + k0 * b.row_stride + n0 + j;
                Acc* const first = panels + j * depth;
                for (index_t k = 0; k < depth; ++k) {
                    for (index_t panel = 0; panel < kPanels; ++panel) {
                        std::memcpy(first + panel * kWidth * depth + k * kWidth,
                                    corner + k * b.row_stride + panel * kWidth, kWidth * sizeof(Acc));
                    }
                }
            }
        }
    }
    for (; j < columns; j += kWidth) {
        pack_columns<kWidth>(b, n0 + j, columns - j, k0, depth, panels + j * depth);
    }
}

}  // namespace intent
