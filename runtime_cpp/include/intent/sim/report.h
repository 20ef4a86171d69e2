/* What the simulator found, for C callers and for programs that load a simulated kernel. C99 and C++.
 *
 * Buffers and reports belong to the calling thread; checks and seed are the same for all threads. */
#ifndef INTENT_SIM_REPORT_H
#define INTENT_SIM_REPORT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: no checks. 1: memory and barriers. 2: also barriers that some threads of the block never reach. */
void intent_sim_set_checks(int level);

/* 0 runs the threads of a block in order; every other seed is another order. */
void intent_sim_set_seed(unsigned seed);

/* Lets kernels that this thread launches use `bytes` at `pointer`. While any buffer is tracked, an access outside of all
 * of them is reported. `name` is copied. */
void intent_sim_track(const void* pointer, size_t bytes, const char* name);
void intent_sim_untrack(const void* pointer);
void intent_sim_untrack_all(void);

/* The findings of this thread's launches since the last clear, oldest first; a text is valid until the next launch or
 * clear. NULL past the end. */
size_t intent_sim_report_count(void);
const char* intent_sim_report(size_t index);
void intent_sim_clear(void);

#ifdef __cplusplus
}
#endif

#endif
