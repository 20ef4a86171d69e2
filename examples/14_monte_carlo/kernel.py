"""Random numbers that depend on seed and counter only, and an option's price as a mean over random paths."""

import intent2cuda as intent
import intent2cuda.language as I

TURN = 6.2831853


@intent.fn
def normal(seed, path):
    """A normal number for each path, by Box and Muller; each path uses two uniform numbers."""
    radius = I.sqrt(-2.0 * I.log(1.0 - I.random.uniform(seed, 2 * path, dtype=I.f32)))
    return radius * I.cos(TURN * I.random.uniform(seed, 2 * path + 1, dtype=I.f32))


@intent.kernel
def uniform(seed: I.u64, out: I.Out[I.f32, ("N",)]):
    """out[n] is number n of the stream of the seed, in [0, 1)."""
    out[:] = I.random.uniform(seed, I.indices(I.domain(0, out.shape[0])), dtype=I.f32)


@intent.kernel
def call_option(
    seed: I.u64,
    paths: I.index,
    spot: I.f32,
    strike: I.f32,
    rate: I.f32,
    volatility: I.f32,
    years: I.f32,
    price: I.Out[I.f32, ()],
    error: I.Out[I.f32, ()],
):
    """The discounted mean of max(S - strike, 0), where S ends a geometric Brownian motion, and its standard error."""
    drift = (rate - 0.5 * volatility * volatility) * years
    spread = volatility * I.sqrt(years)
    final = spot * I.exp(drift + spread * normal(seed, I.indices(I.domain(0, paths))))
    payoff = I.exp(-rate * years) * I.maximum(final - strike, 0.0)
    count = I.cast(paths, I.f32)
    mean = I.reduce.sum(payoff, axis=0) / count
    variance = I.reduce.sum(payoff * payoff, axis=0) / count - mean * mean
    price[()] = mean
    error[()] = I.sqrt(I.maximum(variance, 0.0) / count)
