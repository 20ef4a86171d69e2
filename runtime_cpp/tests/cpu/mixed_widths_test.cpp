// Objects built for machines with different vectors meet in one program; each must run its own loops.
#include "mixed_widths.hpp"

#include "../expect.hpp"

int main() {
    EXPECT(right_sums_narrow() == all_sums_narrow());
    EXPECT(right_sums_wide() == all_sums_wide());
    return expect::failures();
}
