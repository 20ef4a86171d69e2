// Rendezvous of a warp's lanes.
#pragma once

#include "machine.hpp"

namespace intent::sim {

// Waits for the other lanes of `mask`; the last to come calls `finish`, which sees what each lane `brought`.
void meet_warp(unsigned mask, void* brought, void (*finish)(WarpOperation&), bool orders_memory, Location location);

inline bool arrived(const WarpOperation& operation, int lane) { return (operation.arrived >> lane & 1u) != 0; }

template <class Lane>
Lane& brought_by(WarpOperation& operation, int lane) {
    return *static_cast<Lane*>(operation.lanes[lane]);
}

}  // namespace intent::sim
