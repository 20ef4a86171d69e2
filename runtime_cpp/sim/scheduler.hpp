// Runs the threads of one block until all have returned.
#pragma once

#include "machine.hpp"

namespace intent::sim {

// Runs the block with this number in its grid on the calling worker.
void run_block(Block& block, std::uint64_t number);

}  // namespace intent::sim
