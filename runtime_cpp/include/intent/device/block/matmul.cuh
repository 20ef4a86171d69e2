// One tile of a matrix product, computed by a block with exact multiply-adds.
#pragma once

#include <intent/device/math.cuh>
#include <intent/device/shared.cuh>
#include <intent/device/vector.cuh>

namespace intent {

namespace detail {

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

// What a thread holds of an operand on its way into shared memory: kTileK x kTile elements, as Acc, spread over the
// block. kAlongK says along which axis neighbouring threads fetch: the one that is contiguous in memory.
template <class Acc, int kTileK, int kTile, int kThreads, bool kAlongK>
struct Staging {
    static constexpr int kVector = 16 / static_cast<int>(sizeof(Acc));
    static constexpr int kPitch = kTile + kVector;  // rows start in different banks, and at 16 bytes
    static constexpr int kElements = kTileK * kPitch;
    static constexpr int kLoads = (kTileK * kTile + kThreads - 1) / kThreads;

    Acc values[kLoads];

    // Element `i` of the tile lies `k_of(i)` along the summed axis and `place_of(i)` along the other.
    static __device__ __forceinline__ int k_of(int i) { return kAlongK ? i % kTileK : i / kTile; }
    static __device__ __forceinline__ int place_of(int i) { return kAlongK ? i / kTileK : i % kTile; }
    static __device__ __forceinline__ bool is_inside(int i) {
        return kTileK * kTile % kThreads == 0 || i < kTileK * kTile;
    }

    // Reads value(place, k) for the tile at (place0, k0), which has `places` x `depth` elements; 0 beyond them.
    template <class Value>
    __device__ __forceinline__ void fetch(int places, int depth, index_t place0, index_t k0, Value value) {
        #pragma unroll
        for (int load = 0; load < kLoads; ++load) {
            const int i = static_cast<int>(threadIdx.x) + load * kThreads;
            const bool is_there = is_inside(i) && place_of(i) < places && k_of(i) < depth;
            values[load] = is_there ? static_cast<Acc>(value(place0 + place_of(i), k0 + k_of(i))) : Acc(0);
        }
    }

    // Writes what was fetched to tile[kTileK][kPitch].
    __device__ __forceinline__ void store(Acc* tile) const {
        #pragma unroll
        for (int load = 0; load < kLoads; ++load) {
            const int i = static_cast<int>(threadIdx.x) + load * kThreads;
            if (is_inside(i)) {
                tile[k_of(i) * kPitch + place_of(i)] = values[load];
            }
        }
    }
};

// Neighbours along one axis of a tile that a thread computes: kCount in groups of kGroup, which are read at once;
// groups of neighbouring threads adjoin.
template <class Acc, int kCount, int kThreadsAlong>
struct Strip {
    static constexpr int kVector = 16 / static_cast<int>(sizeof(Acc));
    static constexpr int kGroup = kCount % kVector == 0 ? kVector : 1;

    // Where element `i` of thread `along` lies in the tile.
    static __device__ __forceinline__ int place(int along, int i) {
        return (i / kGroup * kThreadsAlong + along) * kGroup + i % kGroup;
    }
    static __device__ __forceinline__ void load(const Acc* tile_row, int along, Acc* elements) {
        #pragma unroll
        for (int i = 0; i < kCount; i += kGroup) {
            load_vector<kGroup>(tile_row + place(along, i), elements + i);
        }
    }
};

// acc[i][j] += the sum over the kTileK rows of both tiles of the elements that the strips take from them.
template <class Rows, class Columns, int kTileK, int kPitchA, int kPitchB, class Acc, int kRows, int kColumns>
__device__ __forceinline__ void accumulate(const Acc* a_tile, const Acc* b_tile, int thread_m, int thread_n,
                                           Acc (&acc)[kRows][kColumns]) {
    #pragma unroll
    for (int k = 0; k < kTileK; ++k) {
        Acc a_column[kRows];
        Acc b_row[kColumns];
        Rows::load(a_tile + k * kPitchA, thread_m, a_column);
        Columns::load(b_tile + k * kPitchB, thread_n, b_row);
        #pragma unroll
        for (int i = 0; i < kRows; ++i) {
            #pragma unroll
            for (int j = 0; j < kColumns; ++j) {
                acc[i][j] = multiply_add(a_column[i], b_row[j], acc[i][j]);
            }
        }
    }
}

// How many of `count` members a tile of at most `tile` has that starts at `first`.
__device__ __forceinline__ int members(index_t count, index_t first, int tile) {
    return static_cast<int>(count - first < tile ? count - first : tile);
}

struct MatmulA;
struct MatmulB;

}  // namespace detail

// store(m, n, sum over k of a(m, k) * b(k, n)) for each m0 <= m < m0 + kTileM, m < M, and n0 <= n < n0 + kTileN, n < N.
// a(m, k) and b(k, n) are called inside their extents only and are converted to Acc (float, double or an integer).
// kAlongKA and kAlongKB: neighbours along k are neighbours in memory. The block has kThreads threads along x, all of
// which call. Synchronises: the block.
template <class Acc, int kTileM, int kTileN, int kTileK, int kThreads, bool kAlongKA = true, bool kAlongKB = false,
          class A, class B, class Store>
__device__ __forceinline__ void block_matmul(index_t M, index_t N, index_t K, index_t m0, index_t n0, A a, B b,
                                             Store store) {
    constexpr detail::TileShare kShare = detail::tile_share(kTileM, kTileN, kThreads);
    static_assert(kShare.rows > 0, "the threads of the block must divide the tile evenly");
    constexpr int kThreadsN = kTileN / kShare.columns;
    using Rows = detail::Strip<Acc, kShare.rows, kThreads / kThreadsN>;
    using Columns = detail::Strip<Acc, kShare.columns, kThreadsN>;
    using StagingA = detail::Staging<Acc, kTileK, kTileM, kThreads, kAlongKA>;
    using StagingB = detail::Staging<Acc, kTileK, kTileN, kThreads, kAlongKB>;
    constexpr int kElements = StagingA::kElements + StagingB::kElements;
    constexpr int kStages = 2 * kElements * static_cast<int>(sizeof(Acc)) <= 48 * 1024 ? 2 : 1;

    Acc* const a_tiles = shared_array<detail::MatmulA, Acc, kStages * StagingA::kElements>();  // [kTileK][m]
    Acc* const b_tiles = shared_array<detail::MatmulB, Acc, kStages * StagingB::kElements>();  // [kTileK][n]
    const int thread_m = static_cast<int>(threadIdx.x) / kThreadsN;
    const int thread_n = static_cast<int>(threadIdx.x) % kThreadsN;
    StagingA a_next;
    StagingB b_next;
    const int rows = detail::members(M, m0, kTileM);
    const int columns = detail::members(N, n0, kTileN);
    // A step computes the tile at k0 while the next one is on its way; the first step only fetches. One place that
    // fetches and one that computes keep the addresses of a single tile in registers.
    Acc acc[kShare.rows][kShare.columns] = {};
    int stage = 0;
    for (index_t k0 = -kTileK; k0 < K; k0 += kTileK) {
        const int depth = detail::members(K, k0 + kTileK, kTileK);
        a_next.fetch(rows, depth, m0, k0 + kTileK, a);
        b_next.fetch(columns, depth, n0, k0 + kTileK, [=](index_t n, index_t k) { return b(k, n); });
        if (k0 >= 0) {
            detail::accumulate<Rows, Columns, kTileK, StagingA::kPitch, StagingB::kPitch>(
                a_tiles + stage * StagingA::kElements, b_tiles + stage * StagingB::kElements, thread_m, thread_n, acc);
            if constexpr (kStages == 2) {
                stage ^= 1;  // the other tiles were read a step ago: the barrier of that step lies between
            } else {
                __syncthreads();  // both tiles read, before the next ones overwrite them
            }
        }
        a_next.store(a_tiles + stage * StagingA::kElements);
        b_next.store(b_tiles + stage * StagingB::kElements);
        __syncthreads();  // both tiles written; those before read, so that the next call may overwrite them
    }

    #pragma unroll
    for (int i = 0; i < kShare.rows; ++i) {
        const int m = Rows::place(thread_m, i);
        #pragma unroll
        for (int j = 0; j < kShare.columns; ++j) {
            const int n = Columns::place(thread_n, j);
            if (m < rows && n < columns) {
                store(m0 + m, n0 + n, acc[i][j]);
            }
        }
    }
}

}  // namespace intent
