// One use of the micro-kernel, compiled twice for different vector widths and linked together.
#pragma once

// The number of sums of the register tile that are right.
int right_sums_narrow();
int right_sums_wide();

// The number of sums of the register tile.
int all_sums_narrow();
int all_sums_wide();
