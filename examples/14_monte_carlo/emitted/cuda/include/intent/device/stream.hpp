// The type of a CUDA stream, for headers that hosts without CUDA include: the same declaration as CUDA's own.
#pragma once

struct CUstream_st;
using cudaStream_t = CUstream_st*;
