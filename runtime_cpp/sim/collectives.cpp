// Shuffles, votes, matches and reductions of a warp.
#include "place.hpp"
#include "report.hpp"
#include "warp.hpp"

#include <cstring>

namespace intent::sim {

namespace {

struct ShuffleLane {
    const void* value;
    void* result;
    int bytes;
    int source;
};

void finish_shuffle(WarpOperation& operation) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (!arrived(operation, lane)) {
            continue;
        }
        const auto& self = brought_by<ShuffleLane>(operation, lane);
        int source = self.source;
        if (!arrived(operation, source)) {
            report(*current.block, "shuffle",
                   {"lane ", lane, " reads lane ", source, ", which takes no part, at ", place_of(operation.location)},
                   key_of(operation.location));
            source = lane;
        }
        const void* value = brought_by<ShuffleLane>(operation, source).value;
        std::memcpy(self.result, value, static_cast<std::size_t>(self.bytes));
    }
}

struct BallotLane {
    bool predicate;
    unsigned result;
};

void finish_ballot(WarpOperation& operation) {
    unsigned votes = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        votes |= arrived(operation, lane) && brought_by<BallotLane>(operation, lane).predicate ? 1u << lane : 0u;
    }
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (arrived(operation, lane)) {
            brought_by<BallotLane>(operation, lane).result = votes;
        }
    }
}

struct MatchLane {
    const void* value;
    int bytes;
    unsigned result;
};

void finish_match(WarpOperation& operation) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (!arrived(operation, lane)) {
            continue;
        }
        auto& self = brought_by<MatchLane>(operation, lane);
        self.result = 0;
        for (int other = 0; other < kWarpLanes; ++other) {
            if (arrived(operation, other) && std::memcmp(self.value, brought_by<MatchLane>(operation, other).value,
                                                         static_cast<std::size_t>(self.bytes)) == 0) {
                self.result |= 1u << other;
            }
        }
    }
}

struct CombineLane {
    unsigned value;
    Combination combination;
    bool is_signed;
};

unsigned combine(unsigned a, unsigned b, Combination combination, bool is_signed) {
    const bool less = is_signed ? static_cast<int>(a) < static_cast<int>(b) : a < b;
    switch (combination) {
    case Combination::add: return a + b;
    case Combination::minimum: return less ? a : b;
    case Combination::maximum: return less ? b : a;
    case Combination::bit_and: return a & b;
    case Combination::bit_or: return a | b;
    case Combination::bit_xor: return a ^ b;
    }
    __builtin_unreachable();
}

void finish_combine(WarpOperation& operation) {
    unsigned result = 0;
    bool first = true;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (arrived(operation, lane)) {
            const auto& self = brought_by<CombineLane>(operation, lane);
            result = first ? self.value : combine(result, self.value, self.combination, self.is_signed);
            first = false;
        }
    }
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (arrived(operation, lane)) {
            brought_by<CombineLane>(operation, lane).value = result;
        }
    }
}

}  // namespace

void warp_barrier(unsigned mask, Location location) {
    meet_warp(mask, nullptr, [](WarpOperation&) {}, true, location);
}

void warp_shuffle(unsigned mask, const void* value, void* result, int bytes, int source_lane, Location location) {
    ShuffleLane lane{value, result, bytes, source_lane};
    meet_warp(mask, &lane, finish_shuffle, false, location);
}

unsigned warp_ballot(unsigned mask, int predicate, Location location) {
    BallotLane lane{predicate != 0, 0};
    meet_warp(mask, &lane, finish_ballot, false, location);
    return lane.result;
}

unsigned warp_match(unsigned mask, const void* value, int bytes, Location location) {
    MatchLane lane{value, bytes, 0};
    meet_warp(mask, &lane, finish_match, false, location);
    return lane.result;
}

unsigned warp_combine(unsigned mask, unsigned value, Combination combination, bool is_signed, Location location) {
    CombineLane lane{value, combination, is_signed};
    meet_warp(mask, &lane, finish_combine, false, location);
    return lane.value;
}

}  // namespace intent::sim
