// One use of the micro-kernel, compiled for different vector widths and instructions, and linked together.
#pragma once

// The number of sums of the register tile that are right.
int right_sums_narrow();
int right_sums_wide();

// The number of sums of the register tile.
int all_sums_narrow();
int all_sums_wide();

// The address of the micro-kernel of pairs. That of the last three is not run: it needs machines with AVX-512.
using Loop = void (*)();
Loop loop_narrow();
Loop loop_wide();
Loop loop_widest();
Loop loop_vnni();
Loop loop_tiles();
