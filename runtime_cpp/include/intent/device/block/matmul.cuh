// One tile of a matrix product, computed by a block with exact multiply-adds.
#pragma once

#include <intent/device/math.cuh>
#include <intent/device/vector.cuh>

namespace intent {

namespace detail {

struct MatmulA;
struct MatmulB;

// How the threads of a block share a tile: each computes rows x columns of it.
struct TileShare {
    int rows;
    int columns;
};

// The most nearly square share that divides the tile evenly among the threads; {0, 0} when there is none.
INTENT_HOST_DEVICE constexpr TileShare tile_share(int tile_m, int tile_n, int threads) {
    TileShare best{0, 0};
    for (int columns = 1; columns <= tile_n; ++columns) {
        const int threads_n = tile_n / columns;
        if (tile_n % columns != 0 || threads % threads_n != 0 || tile_m % (threads / threads_n) != 0) {
            continue;
        }
        const int rows = tile_m / (threads / threads_n);
        const int skew = rows > columns ? rows - columns : columns - rows;
        const int best_skew = best.rows > best.columns ? best.rows - best.columns : best.columns - best.rows;
        if (best.rows == 0 || skew < best_skew) {
            best = {rows, columns};
        }
    }
    return best;
}

// How many neighbours a thread reads at once: 16 bytes when its share is a multiple of that, else one element.
template <class Acc>
INTENT_HOST_DEVICE constexpr int neighbours(int share) {
    constexpr int kVector = 16 / static_cast<int>(sizeof(Acc));
    return share % kVector == 0 ? kVector : 1;
}

// A tile of kRows x kColumns elements in shared memory, kRows along the summed axis. What is outside reads as 0.
template <class Acc, int kRows, int kColumns, int kThreads>
struct StagedTile {
    static constexpr int kPitch = kColumns + 16 / static_cast<int>(sizeof(Acc));  // staged columns miss each other's banks
    static constexpr int kElements = kRows * kPitch;
    static constexpr int kLoads = (kRows * kColumns + kThreads - 1) / kThreads;
};

}  // namespace detail

// store(m, n, sum over k of a(m, k) * b(k, n)) for each m0 <= m < m0 + kTileM, m < M, and n0 <= n < n0 + kTileN, n < N.
// a(m, k) and b(k, n) are called inside their extents only and are converted to Acc (float, double or an integer).
// The block has kThreads threads along x, all of which call. Synchronises: the block.
template <class Acc, int kTileM, int kTileN, int kTileK, int kThreads, class A, class B, class Store>
__device__ __forceinline__ void block_matmul(index_t M, index_t N, index_t K, index_t m0, index_t n0, A a, B b,
                                             Store store) {
    constexpr detail::TileShare kShare = detail::tile_share(kTileM, kTileN, kThreads);
    static_assert(kShare.rows > 0, "the threads of the block must divide the tile evenly");
    constexpr int kThreadsN = kTileN / kShare.columns;
    constexpr int kThreadsM = kThreads / kThreadsN;
    constexpr int kVectorM = detail::neighbours<Acc>(kShare.rows);
    constexpr int kVectorN = detail::neighbours<Acc>(kShare.columns);
    using TileA = detail::StagedTile<Acc, kTileK, kTileM, kThreads>;
    using TileB = detail::StagedTile<Acc, kTileK, kTileN, kThreads>;

    Acc* const a_tile = shared_array<detail::MatmulA, Acc, TileA::kElements>();  // [kTileK][kTileM], a transposed
    Acc* const b_tile = shared_array<detail::MatmulB, Acc, TileB::kElements>();  // [kTileK][kTileN]
    const int thread = static_cast<int>(threadIdx.x);
    const int m_local = thread / kThreadsN * kVectorM;
    const int n_local = thread % kThreadsN * kVectorN;

    Acc acc[kShare.rows][kShare.columns] = {};
    for (index_t k0 = 0; k0 < K; k0 += kTileK) {
        #pragma unroll
        for (int load = 0; load < TileA::kLoads; ++load) {
            const int i = thread + load * kThreads;
            const index_t m = m0 + i / kTileK;
            const index_t k = k0 + i % kTileK;
            if (i < kTileM * kTileK) {
                a_tile[i % kTileK * TileA::kPitch + i / kTileK] = m < M && k < K ? static_cast<Acc>(a(m, k)) : Acc(0);
            }
        }
        #pragma unroll
        for (int load = 0; load < TileB::kLoads; ++load) {
            const int i = thread + load * kThreads;
            const index_t k = k0 + i / kTileN;
            const index_t n = n0 + i % kTileN;
            if (i < kTileK * kTileN) {
                b_tile[i / kTileN * TileB::kPitch + i % kTileN] = k < K && n < N ? static_cast<Acc>(b(k, n)) : Acc(0);
            }
        }
        __syncthreads();  // both tiles written

        #pragma unroll
        for (int k = 0; k < kTileK; ++k) {
            Acc a_column[kShare.rows];
            Acc b_row[kShare.columns];
            #pragma unroll
            for (int i = 0; i < kShare.rows; i += kVectorM) {
                load_vector<kVectorM>(a_tile + k * TileA::kPitch + m_local + i * kThreadsM, a_column + i);
            }
            #pragma unroll
            for (int j = 0; j < kShare.columns; j += kVectorN) {
                load_vector<kVectorN>(b_tile + k * TileB::kPitch + n_local + j * kThreadsN, b_row + j);
            }
            #pragma unroll
            for (int i = 0; i < kShare.rows; ++i) {
                #pragma unroll
                for (int j = 0; j < kShare.columns; ++j) {
                    acc[i][j] = multiply_add(a_column[i], b_row[j], acc[i][j]);
                }
            }
        }
        __syncthreads();  // both tiles read, before the next step overwrites them
    }

    #pragma unroll
    for (int i = 0; i < kShare.rows; ++i) {
        const index_t m = m0 + m_local + i / kVectorM * kVectorM * kThreadsM + i % kVectorM;
        #pragma unroll
        for (int j = 0; j < kShare.columns; ++j) {
            const index_t n = n0 + n_local + j / kVectorN * kVectorN * kThreadsN + j % kVectorN;
            if (m < M && n < N) {
                store(m, n, acc[i][j]);
            }
        }
    }
}

}  // namespace intent
