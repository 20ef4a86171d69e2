// Objects built for machines with different vectors meet in one program; each must run its own loops.
#include "mixed_widths.hpp"

#include "../expect.hpp"

int main() {
    EXPECT(right_sums_narrow() == all_sums_narrow());
    EXPECT(right_sums_wide() == all_sums_wide());
#if defined(INTENT_MORE_PARTS)
    const Loop loops[] = {loop_narrow(), loop_widest(), loop_vnni(), loop_tiles()};
    for (const Loop& loop : loops) {
        for (const Loop* other = loops; other != &loop; ++other) {
            EXPECT(loop != *other);
        }
    }
#endif
    return expect::failures();
}
