// The common headers in host and device code; compiling is the test.
#include <intent/check.hpp>
#include <intent/combine.hpp>
#include <intent/float16.hpp>
#include <intent/float8.hpp>
#include <intent/integer.hpp>
#include <intent/numeric.hpp>
#include <intent/view.hpp>

using namespace intent;

template <class T>
__device__ T each_operation(T a, T b) {
    const T extreme = maximum(minimum(a, b), maximum_num(lowest<T>(), minimum_num(highest<T>(), a)));
    return Add{}(Maximum{}(extreme, Maximum::identity<T>()), Minimum{}(b, Minimum::identity<T>()));
}

template <class T>
__device__ T each_integer_operation(T a, T b) {
    const T divided = wrap_add(floor_div(a, b), floor_mod(a, b));
    return wrap_mul(wrap_sub(divided, wrap_neg(a)),
                    wrap_add(shift_left(a, 3), shift_right(wrap_abs(ceil_div(a, b)), 2)));
}

__global__ void kernel(View<const float, 2> x, View<float, 2> out, View<bool, 1> flags, View<double, 0> total,
                       index_t count) {
    const float value = x(0, count);
    out(0, 0) =
        each_operation(value, 2.0f) + each_operation(f16(value), f16(2)) + each_operation(bf16(value), bf16(2.0));
    out(0, 1) = each_operation(f8e4m3fn(value), f8e4m3fn(2)) + each_operation(f8e5m2(value), f8e5m2(2.0f));
    out(0, 2) = static_cast<float>(each_integer_operation(count, index_t{3}) + each_operation(count, index_t{3}));
    out(0, 3) = static_cast<float>(each_integer_operation(static_cast<std::int8_t>(count), std::int8_t{3}));
    out(0, 4) = static_cast<float>(each_integer_operation(static_cast<unsigned>(count), 3u));
    out(0, 5) = bit_cast<float>(to_bits(value)) + f16(count) + quiet_nan<float>() + infinity<bf16>();
    f16 half(value);
    half += -half * half / half;
    out(0, 6) = half < f16(1) ? half : infinity<f16>();
    flags(0) = Any{}(All{}(dense_rows(x), All::identity<bool>()), is_dense(out)) && is_nan(half);
    total() = each_operation(static_cast<double>(value), quiet_nan<double>()) + static_cast<double>(element_count(x));
    const View<const float, 2> read = out;
    out(0, 7) = read(0, 6) + row_major(out.data, 2, 3)(1, 2);
}

intent_status host_code(const View<float, 2>& x, const View<float, 2>& out) {
    return guarded([&] {
        require_disjoint_or_same(x, out, "x and out overlap");
        kernel<<<1, 1>>>(x, out, View<bool, 1>{nullptr, {1}, {1}}, View<double, 0>{nullptr}, x.extent(1));
    });
}
