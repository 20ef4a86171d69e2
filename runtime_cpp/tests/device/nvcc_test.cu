// Uses every device header, for nvcc to compile. The simulator's tests run the same functions.
#include <intent/device/atomic.cuh>
#include <intent/device/block/arg_max.cuh>
#include <intent/device/block/matmul.cuh>
#include <intent/device/instructions.cuh>
#include <intent/device/scratch.cuh>
#include <intent/float16.hpp>
#include <intent/view.hpp>

namespace nvcc_test {

using intent::index_t;
using intent::View;

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads)
softmax_kernel(View<const T, 2> x, View<T, 2> y, index_t* __restrict__ place) {
    const index_t row = blockIdx.x;
    const index_t columns = x.extent(1);
    const auto best = intent::block_arg_max<kThreads>(columns, [=](index_t i) { return x(row, i); });
    const T total = intent::block_fold<kThreads>(
        columns, intent::Add{}, [=](index_t i) { return intent::exp(x(row, i) - best.value); });
    for (index_t i = threadIdx.x; i < columns; i += kThreads) {
        y(row, i) = intent::exp(x(row, i) - best.value) / total;
    }
    if (threadIdx.x == 0) {
        place[row] = best.index;
    }
}
template __global__ void softmax_kernel(View<const float, 2>, View<float, 2>, index_t*);
template __global__ void softmax_kernel(View<const double, 2>, View<double, 2>, index_t*);
template __global__ void softmax_kernel(View<const intent::f16, 2>, View<intent::f16, 2>, index_t*);

template <class Acc, class T, int kTileM, int kTileN, int kTileK>
__global__ void __launch_bounds__(kThreads) matmul_kernel(View<const T, 2> a, View<const T, 2> b, View<T, 2> c) {
    intent::block_matmul<Acc, kTileM, kTileN, kTileK, kThreads>(
        a.extent(0), b.extent(1), a.extent(1), index_t{blockIdx.y} * kTileM, index_t{blockIdx.x} * kTileN,
        [=](index_t m, index_t k) { return a(m, k); },
        [=](index_t k, index_t n) { return b(k, n); },
        [=](index_t m, index_t n, Acc sum) { c(m, n) = static_cast<T>(sum); });
}
using F32 = View<const float, 2>;
using F64 = View<const double, 2>;
using I32 = View<const int, 2>;
using BF16 = View<const intent::bf16, 2>;
template __global__ void matmul_kernel<float, float, 64, 64, 16>(F32, F32, View<float, 2>);
template __global__ void matmul_kernel<float, float, 128, 128, 8>(F32, F32, View<float, 2>);
template __global__ void matmul_kernel<double, double, 64, 64, 8>(F64, F64, View<double, 2>);
template __global__ void matmul_kernel<int, int, 64, 64, 16>(I32, I32, View<int, 2>);
template __global__ void matmul_kernel<float, intent::bf16, 64, 64, 16>(BF16, BF16, View<intent::bf16, 2>);

template <class T>
__global__ void math_kernel(const T* __restrict__ x, T* __restrict__ y) {
    const T v = x[threadIdx.x];
    T* const out = y + threadIdx.x * 20;
    out[0] = intent::exp(v);
    out[1] = intent::exp2(v);
    out[2] = intent::log(v);
    out[3] = intent::log1p(v);
    out[4] = intent::lgamma(v);
    out[5] = intent::sin(v);
    out[6] = intent::cos(v);
    out[7] = intent::asin(v);
    out[8] = intent::tanh(v);
    out[9] = intent::floor(v);
    out[10] = intent::sqrt(v);
    out[11] = intent::rsqrt(v);
    out[12] = intent::sigmoid(v);
    out[13] = intent::erf(v);
    out[14] = intent::erfc(v);
    out[15] = intent::abs(v);
    out[16] = intent::i0(v);
    out[17] = intent::pow(v, v);
}
template __global__ void math_kernel(const float*, float*);
template __global__ void math_kernel(const double*, double*);
template __global__ void math_kernel(const intent::f16*, intent::f16*);
template __global__ void math_kernel(const intent::bf16*, intent::bf16*);

template <class T>
__global__ void atomics_kernel(T* __restrict__ out) {
    const T value = static_cast<T>(static_cast<int>(threadIdx.x));
    intent::atomic_add<intent::Order::kRelaxed>(&out[0], value);
    intent::atomic_max<intent::Order::kRelaxed>(&out[1], value);
    intent::atomic_min<intent::Order::kRelaxed>(&out[2], value);
}
template __global__ void atomics_kernel(int*);
template __global__ void atomics_kernel(float*);
template __global__ void atomics_kernel(double*);
template __global__ void atomics_kernel(index_t*);
template __global__ void atomics_kernel(intent::f16*);
template __global__ void atomics_kernel(intent::bf16*);

template <class T>
__global__ void __launch_bounds__(32)
mma_kernel(const T* __restrict__ a, const T* __restrict__ b, float* __restrict__ c) {
    T* const a_tile = intent::shared_memory<T>();
    T* const b_tile = a_tile + 256;
    const int lane = static_cast<int>(threadIdx.x);
    intent::cp_async16(a_tile + 8 * lane, a + 8 * lane);
    intent::cp_async16(b_tile + 8 * (lane % 16), b + 8 * (lane % 16), lane < 16);
    intent::cp_async_commit();
    intent::cp_async_wait<0>();
    __syncwarp();
    unsigned a_registers[4];
    unsigned b_registers[2];
    intent::ldmatrix_x4(a_registers, a_tile + lane % 16 * 16 + lane / 16 * 8);
    intent::ldmatrix_x2_trans(b_registers, b_tile + lane % 16 * 8);
    float d[4] = {};
    intent::mma_m16n8k16<T>(d, a_registers, b_registers);
    intent::store_vector<4>(c + 4 * lane, d);
}
template __global__ void mma_kernel(const intent::f16*, const intent::f16*, float*);
template __global__ void mma_kernel(const intent::bf16*, const intent::bf16*, float*);

// Launches with scratch memory between, so that the host side is compiled too.
void softmax(View<const float, 2> x, View<float, 2> y, cudaStream_t stream) {
    const intent::DeviceScratch<index_t> places(x.extent(0), stream);
    const dim3 grid(static_cast<unsigned>(x.extent(0)));
    intent::launch(softmax_kernel<float>, grid, dim3(kThreads), 0, stream, x, y, places.data());
}

}  // namespace nvcc_test
