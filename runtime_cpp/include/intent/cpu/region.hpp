// Operations over slices of one axis: folds of their summaries, and outputs that need the state before each slice.
//
// Summaries and states may be anything, so they are known by the numbers of slots that the caller keeps them in. How
// the axis is cut and how summaries are grouped depends on its extent and the slice alone, never on the number of
// threads.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/caught.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>
#include <intent/integer.hpp>

namespace intent {

namespace detail {

struct RegionSummaries;  // scratch of the calling thread, written by its team
struct RegionStates;     // the same

// Consecutive slices of which a parallel fold makes one summary each, at most.
constexpr index_t kRegionParts = 32;

// Slices that a parallel scan summarizes before it emits them: few enough that their members are still in L2 then.
inline index_t region_batch() noexcept { return 4 * most_threads(); }

// Summarizes slices first <= k < last one after the other into slot `into`, with the help of slot `other`.
template <class Summarize, class Combine>
void fold_slices(index_t extent, index_t slice, index_t first, index_t last, index_t into, index_t other,
                 Summarize summarize, Combine combine) {
    for (index_t k = first; k < last; ++k) {
        const index_t begin = k * slice;
        const index_t size = least(slice, extent - begin);
        if (k == first) {
            summarize(begin, size, into);
        } else {
            summarize(begin, size, other);
            combine(into, other);
        }
    }
}

}  // namespace detail

// Slots for summaries that parallel_region_fold_into uses.
inline index_t region_fold_slots() noexcept { return detail::kRegionParts + detail::most_threads(); }

// The summaries of the slices of [0, extent), combined in order, in slot 0; slot 1 is used too. On this thread.
// summarize(begin, size, slot) makes the summary of a slice; combine(into, from) puts that of slot `from` behind that
// of slot `into`. An extent of 0: identity(0) fills the slot.
template <class Identity, class Summarize, class Combine>
void region_fold_into(index_t extent, index_t slice, Identity identity, Summarize summarize, Combine combine) {
    if (extent <= 0) {
        identity(index_t{0});
        return;
    }
    detail::fold_slices(extent, slice, 0, ceil_div(extent, slice), 0, 1, summarize, combine);
}

// The same on all threads, in region_fold_slots() slots. The functions may run on any thread, in each slot on one.
template <class Identity, class Summarize, class Combine>
void parallel_region_fold_into(index_t extent, index_t slice, Identity identity, Summarize summarize, Combine combine) {
    if (extent <= 0) {
        identity(index_t{0});
        return;
    }
    const index_t slices = ceil_div(extent, slice);
    const index_t parts = least(detail::kRegionParts, slices);
    Caught caught;
    #pragma omp parallel for schedule(dynamic, 1) if (slices > 1)
    for (index_t part = 0; part < parts; ++part) {
        try {
            detail::fold_slices(extent, slice, slices * part / parts, slices * (part + 1) / parts, part,
                                detail::kRegionParts + detail::team_member(), summarize, combine);
        } catch (...) {
            caught.keep();
        }
    }
    caught.rethrow();
    for (index_t part = 1; part < parts; ++part) {
        combine(index_t{0}, part);
    }
}

// The same for summaries that are values: summarize(begin, size) gives one, combine(a, b) makes one of two in order.
template <class T, class Summarize, class Combine>
T region_fold(index_t extent, index_t slice, T identity, Summarize summarize, Combine combine) {
    T slots[2] = {identity, identity};
    T* const summaries = slots;
    region_fold_into(
        extent, slice, [](index_t) {},
        [=](index_t begin, index_t size, index_t slot) { summaries[slot] = summarize(begin, size); },
        [=](index_t into, index_t from) { summaries[into] = combine(summaries[into], summaries[from]); });
    return slots[0];
}
template <class T, class Summarize, class Combine>
T parallel_region_fold(index_t extent, index_t slice, T identity, Summarize summarize, Combine combine) {
    T* const summaries = thread_scratch<T, detail::RegionSummaries>(region_fold_slots());
    parallel_region_fold_into(
        extent, slice, [=](index_t slot) { summaries[slot] = identity; },
        [=](index_t begin, index_t size, index_t slot) { summaries[slot] = summarize(begin, size); },
        [=](index_t into, index_t from) { summaries[into] = combine(summaries[into], summaries[from]); });
    return summaries[0];
}

// Slots for summaries and for states that parallel_region_scan_into uses.
inline index_t region_scan_summaries() noexcept { return detail::region_batch(); }
inline index_t region_scan_states() noexcept { return detail::region_batch() + 1; }

// For each slice of [0, extent) in order: emit(begin, size, state), where slot `state` holds the state before the
// slice, from the initial one in slot 0 on. summarize(begin, size, 0) makes the summary of a slice in slot 0, and
// apply(0, state, next) the state after it in slot `next`, 0 or 1. Returns the slot of the final state. On this thread.
template <class Summarize, class Apply, class Emit>
index_t region_scan_into(index_t extent, index_t slice, Summarize summarize, Apply apply, Emit emit) {
    index_t state = 0;
    for (index_t begin = 0; begin < extent; begin += slice) {
        const index_t size = least(slice, extent - begin);
        emit(begin, size, state);
        summarize(begin, size, index_t{0});
        apply(index_t{0}, state, 1 - state);
        state = 1 - state;
    }
    return state;
}

// The same on all threads, in more slots. Summaries are applied one by one as on a single thread, with the same
// results; summarize and emit run for several slices at a time, each of which reads its members once from memory.
template <class Summarize, class Apply, class Emit>
index_t parallel_region_scan_into(index_t extent, index_t slice, Summarize summarize, Apply apply, Emit emit) {
    const index_t slices = extent <= 0 ? 0 : ceil_div(extent, slice);
    const index_t batch = detail::region_batch();
    const index_t states = batch + 1;  // that of slice k is in slot k modulo states
    Caught caught;
    // What an exception has left out would only be needed by what is left out as well.
    const auto unless_caught = [&caught](auto step) {
        if (!caught.any()) {
            try {
                step();
            } catch (...) {
                caught.keep();
            }
        }
    };
    #pragma omp parallel if (slices > 1)
    for (index_t first = 0; first < slices; first += batch) {
        const index_t last = least(first + batch, slices);
        #pragma omp for schedule(static, 1)
        for (index_t k = first; k < last; ++k) {
            unless_caught([&] { summarize(k * slice, least(slice, extent - k * slice), k - first); });
        }
        // All summaries of the batch are there.
        if (detail::team_member() == 0) {
            for (index_t k = first; k < last; ++k) {
                unless_caught([&] { apply(k - first, k % states, (k + 1) % states); });
            }
        }
        detail::team_barrier();
        // All states of the batch are there; the loop's own barrier keeps them until they have been read.
        #pragma omp for schedule(static, 1)
        for (index_t k = first; k < last; ++k) {
            unless_caught([&] { emit(k * slice, least(slice, extent - k * slice), k % states); });
        }
    }
    caught.rethrow();
    return slices % states;
}

// The same for summaries and states that are values: summarize(begin, size), apply(summary, state), emit(begin, size,
// state). Returns the final state.
template <class State, class Summarize, class Apply, class Emit>
State region_scan(index_t extent, index_t slice, State initial, Summarize summarize, Apply apply, Emit emit) {
    State state = initial;
    for (index_t begin = 0; begin < extent; begin += slice) {
        const index_t size = least(slice, extent - begin);
        emit(begin, size, state);
        state = apply(summarize(begin, size), state);
    }
    return state;
}
template <class State, class Summarize, class Apply, class Emit>
State parallel_region_scan(index_t extent, index_t slice, State initial, Summarize summarize, Apply apply, Emit emit) {
    using Summary = decltype(summarize(index_t{0}, index_t{0}));
    Summary* const summaries = thread_scratch<Summary, detail::RegionSummaries>(region_scan_summaries());
    State* const states = thread_scratch<State, detail::RegionStates>(region_scan_states());
    states[0] = initial;
    const index_t final = parallel_region_scan_into(
        extent, slice, [=](index_t begin, index_t size, index_t slot) { summaries[slot] = summarize(begin, size); },
        [=](index_t summary, index_t state, index_t next) { states[next] = apply(summaries[summary], states[state]); },
        [=](index_t begin, index_t size, index_t state) { emit(begin, size, states[state]); });
    return states[final];
}

}  // namespace intent
