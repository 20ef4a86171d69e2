// The matrix unit of x86 (AMX): sums of 16 x 16 products of four bytes in each instruction.
//
// The build says whether it may be used (INTENT_TILES), the system whether this process may: it has to save 8 KiB more
// of every thread, so it wants to be asked first. The instructions are written out here because <immintrin.h> would
// cost every emitted file 0.4 s of compile time.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/panel.hpp>
#include <intent/cpu/quads.hpp>
#include <intent/cpu/vector.hpp>

#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

#if defined(INTENT_TILES)

constexpr bool kTiles = true;

namespace tiles_detail {

constexpr int kTileRows = 16;
constexpr int kTileRowBytes = 64;

// What ldtilecfg reads.
struct alignas(64) Configuration {
    std::uint8_t palette;
    std::uint8_t first_row;
    std::uint8_t reserved[14];
    std::uint16_t row_bytes[16];
    std::uint8_t rows[16];
};

// All eight tiles as large as they can be.
constexpr Configuration kWholeTiles = {
    1,
    0,
    {},
    {kTileRowBytes, kTileRowBytes, kTileRowBytes, kTileRowBytes, kTileRowBytes, kTileRowBytes, kTileRowBytes,
     kTileRowBytes},
    {kTileRows, kTileRows, kTileRows, kTileRows, kTileRows, kTileRows, kTileRows, kTileRows}};

template <int kTile>
inline void clear_tile() noexcept {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
}

// Rows are `stride` bytes apart in memory.
template <int kTile>
inline void load_tile(const void* memory, index_t stride) noexcept {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(memory), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
inline void save_tile(void* memory, index_t stride) noexcept {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(memory), "r"(stride), "i"(kTile) : "memory");
}

// Tile kSums += tile kA times tile kB, whose words hold four bytes of type A and of type B.
template <class A, class B, int kSums, int kA, int kB>
inline void add_tile_products() noexcept {
    if constexpr (std::is_signed_v<A> && std::is_signed_v<B>) {
        asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kA), "i"(kB));
    } else if constexpr (std::is_signed_v<A>) {
        asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kA), "i"(kB));
    } else if constexpr (std::is_signed_v<B>) {
        asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kA), "i"(kB));
    } else {
        asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kA), "i"(kB));
    }
}

// The system's answer to arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA). It refuses where the machine has no tiles
// and where a thread has a signal stack too small for them.
inline bool request_tiles() noexcept {
    long result = 158;  // the number of arch_prctl
    asm volatile("syscall" : "+a"(result) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
    return result == 0;
}

}  // namespace tiles_detail

// True when this process may use the tiles.
inline bool tiles_granted() noexcept {
    static const bool granted = tiles_detail::request_tiles();
    return granted;
}

// Makes the tiles of this thread ready, and gives them up at the end: until then it is slower to suspend.
class TileRegisters {
public:
    TileRegisters() noexcept {
        asm volatile("ldtilecfg %0" : : "m"(tiles_detail::kWholeTiles));
    }
    TileRegisters(const TileRegisters&) = delete;
    TileRegisters& operator=(const TileRegisters&) = delete;
    ~TileRegisters() { asm volatile("tilerelease"); }
};

// Two by two tiles of sums, two of a and two of b. A panel of a stays in L1 and eight of b in L2, so that neighbours in
// the rows of c are written soon after each other.
template <class A, class B>
struct Panel<Quad8<A, B>> {
    static constexpr int kRows = kQuadLanes;
    static constexpr int kColumns = kQuadLanes;
    static constexpr int kSteps = kQuadSteps;
    static constexpr int kTogether = 8;
    using Registers = TileRegisters;
};

// c[32, 32] (+)= a_panel b_panel over `depth` quads, a multiple of 16; the thread has TileRegisters.
template <class A, class B>
inline void multiply_panels(const Quad8<A, B>* a_panel, const Quad8<A, B>* b_panel, index_t depth, std::int32_t* c,
                            index_t c_stride, bool accumulate) noexcept {
    using namespace tiles_detail;
    constexpr index_t kWord = sizeof(std::int32_t);
    std::int32_t* const lower = c + kTileRows * c_stride;
    if (accumulate) {
        load_tile<0>(c, c_stride * kWord);
        load_tile<1>(c + kTileRows, c_stride * kWord);
        load_tile<2>(lower, c_stride * kWord);
        load_tile<3>(lower + kTileRows, c_stride * kWord);
    } else {
        clear_tile<0>();
        clear_tile<1>();
        clear_tile<2>();
        clear_tile<3>();
    }
    for (index_t k = 0; k < depth; k += kQuadSteps) {
        const Quad8<A, B>* const a = a_panel + k * kQuadLanes;
        const Quad8<A, B>* const b = b_panel + k * kQuadLanes;
        load_tile<4>(a, kTileRowBytes);
        load_tile<6>(b, kQuadLanes * kWord);
        load_tile<7>(b + kTileRows, kQuadLanes * kWord);
        add_tile_products<A, B, 0, 4, 6>();
        add_tile_products<A, B, 1, 4, 7>();
        load_tile<5>(a + kTileRows * kQuadSteps, kTileRowBytes);
        add_tile_products<A, B, 2, 5, 6>();
        add_tile_products<A, B, 3, 5, 7>();
    }
    save_tile<0>(c, c_stride * kWord);
    save_tile<1>(c + kTileRows, c_stride * kWord);
    save_tile<2>(lower, c_stride * kWord);
    save_tile<3>(lower + kTileRows, c_stride * kWord);
}

#else

constexpr bool kTiles = false;
constexpr bool tiles_granted() noexcept { return false; }

#endif

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
