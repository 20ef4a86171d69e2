"""Dynamic programs over sequences: the likeliest states of a hidden Markov model, and local alignment."""

import intent2cuda as intent
import intent2cuda.language as I

MATCH, MISMATCH, GAP = 3, -3, 2


@intent.kernel
def viterbi(emission: I.In[I.f32, ("B", "T", "S")], step: I.In[I.f32, ("S", "S")], path: I.Out[I.i32, ("B", "T")]):
    """The path of greatest total score: emission[b, t, s] for being in s at t, step[r, s] for going from r to s."""
    length, states = emission.shape[1], step.shape[0]
    for b in I.parallel(I.domain(0, emission.shape[0])):
        came_from = I.buffer((length, states), dtype=I.i32)
        score = emission[b, 0, :]
        for t in I.domain(1, length):
            best, where = I.arg_reduce.max(score[:, None] + step[:, :], axis=0)
            came_from[t, :] = I.cast(where, I.i32)
            score = best + emission[b, t, :]
        _, last = I.arg_reduce.max(score, axis=0)
        state = I.cast(last, I.i32)
        path[b, length - 1] = state
        for back in I.domain(1, length):
            state = came_from[length - back, state]
            path[b, length - 1 - back] = state


@intent.kernel
def smith_waterman(a: I.In[I.i32, ("B", "M")], b: I.In[I.i32, ("B", "N")], score: I.Out[I.i32, ("B",)]):
    """The best score of a local alignment of a[p] and b[p]; a gap costs the same for every letter.

    Row by row: a cell is reached from the row above, or along its own row, where a running maximum of what each cell
    starts with, less the gaps up to here, says what is best.
    """
    columns = I.indices(I.domain(0, b.shape[1]))
    gaps = GAP * I.cast(columns, I.i32)
    for pair in I.parallel(I.domain(0, a.shape[0])):
        above = I.zeros((b.shape[1],), dtype=I.i32)
        best = above
        for i in I.domain(0, a.shape[1]):
            diagonal = I.gather(above, index=(columns - 1,), valid=columns > 0, fill=0)
            match = I.select(a[pair, i] == b[pair, :], I.full((b.shape[1],), MATCH, dtype=I.i32), MISMATCH)
            entered = I.maximum(I.maximum(diagonal + match, above - GAP), 0)
            above = I.cummax(entered + gaps, axis=0) - gaps
            best = I.maximum(best, above)
        score[pair] = I.maximum(I.reduce.max(best, axis=0), 0)
