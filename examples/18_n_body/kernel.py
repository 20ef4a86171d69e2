"""Gravity among all pairs of bodies."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def accelerations(
    position: I.In[I.f32, (3, "N")],
    mass: I.In[I.f32, ("N",)],
    softening: I.f32,
    out: I.Out[I.f32, (3, "N")],
):
    """Each body is pulled by every other one, with its mass over the square of the (softened) distance."""
    x, y, z = position[0, :], position[1, :], position[2, :]
    for body in I.parallel(I.domain(0, mass.shape[0])):
        dx, dy, dz = x - x[body], y - y[body], z - z[body]
        square = dx * dx + dy * dy + dz * dz + softening
        inverse = I.rsqrt(square)
        pull = mass[:] * inverse * inverse * inverse
        out[0, body] = I.reduce.sum(pull * dx, axis=0)
        out[1, body] = I.reduce.sum(pull * dy, axis=0)
        out[2, body] = I.reduce.sum(pull * dz, axis=0)
