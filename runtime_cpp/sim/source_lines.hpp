// From places in machine code to lines of source text.
#pragma once

#include "report.hpp"

namespace intent::sim {

// For each place "kernel.cu:57", or "kernel.cu:57 (in fold.cuh:35)" when a header of the runtime did it for the kernel.
std::vector<std::string> source_lines(const std::vector<const Piece*>& places);

}  // namespace intent::sim
