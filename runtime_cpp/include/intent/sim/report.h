/* What the simulator found, for C callers and for programs that load a simulated kernel. C99 and C++.
 *
 * Buffers and reports belong to the calling thread; checks and seed are the same for all threads. */
#ifndef INTENT_SIM_REPORT_H
#define INTENT_SIM_REPORT_H

#include <stddef.h>

#define INTENT_SIM_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* 0: no checks. 1: memory and barriers. 2: also barriers that some threads of the block never reach. */
INTENT_SIM_EXPORT void intent_sim_set_checks(int level);

/* 0 runs the threads of a block in order; every other seed is another order. */
INTENT_SIM_EXPORT void intent_sim_set_seed(unsigned seed);

/* Lets kernels that this thread launches use `bytes` at `pointer`. While any buffer is tracked, an access outside of
 * all of them is reported. `name` is copied. */
INTENT_SIM_EXPORT void intent_sim_track(const void* pointer, size_t bytes, const char* name);
INTENT_SIM_EXPORT void intent_sim_untrack(const void* pointer);
INTENT_SIM_EXPORT void intent_sim_untrack_all(void);

/* The findings of this thread's launches since the last clear, oldest first; a text is valid until the next launch or
 * clear. NULL past the end. */
INTENT_SIM_EXPORT size_t intent_sim_report_count(void);
INTENT_SIM_EXPORT const char* intent_sim_report(size_t index);
INTENT_SIM_EXPORT void intent_sim_clear(void);

#ifdef __cplusplus
}
#endif

#endif
