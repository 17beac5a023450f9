#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include <nonzero/device.hpp>

#include "base/complex.hpp"
#include "simt/allowed_shared.hpp"
#include "simt/cache_scope.hpp"
#include "simt/cuda_error.hpp"
#include "simt/launch.hpp"
#include "simt/pack.hpp"

// The device language on the GPU; simt.hpp says what each word means.
#define NZ_DEVICE __device__ __forceinline__
#define NZ_HOST_DEVICE __host__ __device__ __forceinline__
#define NZ_UNROLL _Pragma("unroll")
#define NZ_ROLLED _Pragma("unroll 1")
#define NZ_PRAGMA(text) _Pragma(#text)
#define NZ_UNROLL_BY(n) NZ_PRAGMA(unroll n)

namespace nz::cuda {

NZ_DEVICE int bit_count(unsigned bits) { return __popc(bits); }

inline constexpr unsigned full_warp = 0xffffffffu;

template <class V>
class SharedArray {
 public:
  NZ_DEVICE explicit SharedArray(V* data) : data_(data) {}
  NZ_DEVICE V& operator[](int i) const { return data_[i]; }
  template <int n>
  NZ_DEVICE Pack<V, n> pack(int i) const {
    return *reinterpret_cast<const Pack<V, n>*>(data_ + i);
  }

 private:
  V* data_;
};

// The built-in type of that many bytes, for loads that know no others.
template <int bytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

// A load whose bytes go from the L1 first, and from the L2 as the launch has it.
#define NZ_LOAD_STREAMING(what, ...) \
  asm volatile("ld.global.L1::evict_first.L2::cache_hint." what:__VA_ARGS__ : "l"(p), "l"(policy_))

extern __shared__ __align__(16) unsigned char nz_shared_memory[];

class Thread {
 public:
  // The policy is that of streaming loads (simt/cache_scope.hpp).
  NZ_DEVICE explicit Thread(std::uint64_t policy) : policy_(policy) {}
  NZ_DEVICE int index() const { return static_cast<int>(threadIdx.x); }
  NZ_DEVICE int block_size() const { return static_cast<int>(blockDim.x); }
  NZ_DEVICE int block() const { return static_cast<int>(blockIdx.x); }
  NZ_DEVICE int grid_size() const { return static_cast<int>(gridDim.x); }
  NZ_DEVICE std::int64_t global_index() const {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  }
  NZ_DEVICE std::int64_t global_size() const {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  }
  NZ_DEVICE int lane() const { return static_cast<int>(threadIdx.x & 31u); }
  NZ_DEVICE int warp() const { return static_cast<int>(threadIdx.x >> 5); }
  NZ_DEVICE int warps() const { return static_cast<int>(blockDim.x >> 5); }

  template <class V>
  NZ_DEVICE SharedArray<V> shared(int n) {
    carved_ = (carved_ + int(alignof(V)) - 1) / int(alignof(V)) * int(alignof(V));
    auto* begin = reinterpret_cast<V*>(nz_shared_memory + carved_);
    carved_ += n * int(sizeof(V));
    return SharedArray<V>(begin);
  }

  NZ_DEVICE void sync() { __syncthreads(); }
  NZ_DEVICE void sync_warp() { __syncwarp(); }

  template <class V>
  NZ_DEVICE V shuffle(V v, int from, int width = 32) {
    return __shfl_sync(full_warp, v, from, width);
  }
  template <class V>
  NZ_DEVICE V shuffle_up(V v, int by, int width = 32) {
    return __shfl_up_sync(full_warp, v, static_cast<unsigned>(by), width);
  }
  template <class V>
  NZ_DEVICE V shuffle_down(V v, int by, int width = 32) {
    return __shfl_down_sync(full_warp, v, static_cast<unsigned>(by), width);
  }
  template <class V>
  NZ_DEVICE V shuffle_xor(V v, int mask, int width = 32) {
    return __shfl_xor_sync(full_warp, v, mask, width);
  }
  // A complex number's parts, one after the other; so do atomics.
  template <class R>
  NZ_DEVICE KernelComplex<R> shuffle(KernelComplex<R> v, int from, int width = 32) {
    return {shuffle(v.re, from, width), shuffle(v.im, from, width)};
  }
  template <class R>
  NZ_DEVICE KernelComplex<R> shuffle_up(KernelComplex<R> v, int by, int width = 32) {
    return {shuffle_up(v.re, by, width), shuffle_up(v.im, by, width)};
  }
  template <class R>
  NZ_DEVICE KernelComplex<R> shuffle_down(KernelComplex<R> v, int by, int width = 32) {
    return {shuffle_down(v.re, by, width), shuffle_down(v.im, by, width)};
  }
  template <class R>
  NZ_DEVICE KernelComplex<R> shuffle_xor(KernelComplex<R> v, int mask, int width = 32) {
    return {shuffle_xor(v.re, mask, width), shuffle_xor(v.im, mask, width)};
  }
  NZ_DEVICE unsigned ballot(bool p) { return __ballot_sync(full_warp, p); }
  NZ_DEVICE bool any(bool p) { return __any_sync(full_warp, p); }
  NZ_DEVICE bool all(bool p) { return __all_sync(full_warp, p); }

  template <class V>
  NZ_DEVICE V atomic_add(V* p, std::type_identity_t<V> v) {
    return atomicAdd(p, v);
  }
  template <class V>
  NZ_DEVICE V atomic_add(const SharedArray<V>& s, int i, std::type_identity_t<V> v) {
    return atomicAdd(&s[i], v);
  }

  template <class R>
  NZ_DEVICE KernelComplex<R> atomic_add(KernelComplex<R>* p,
                                        std::type_identity_t<KernelComplex<R>> v) {
    const R re = atomicAdd(&p->re, v.re);
    return {re, atomicAdd(&p->im, v.im)};
  }

  template <class V>
  NZ_DEVICE V load(const ReadVector<V>& v) const {
    return v.of(load(v.at));
  }
  template <class V>
  NZ_DEVICE V load(const V* p) const {
    return as<V>(__ldg(word(p)));
  }
  template <class V>
  NZ_DEVICE V load_streaming(const V* p) const {
    typename Word<sizeof(V)>::type v;
    if constexpr (sizeof(V) == 1) {
      unsigned wide;
      NZ_LOAD_STREAMING("u8 %0, [%1], %2;", "=r"(wide));
      v = static_cast<unsigned char>(wide);
    } else if constexpr (sizeof(V) == 2) {
      NZ_LOAD_STREAMING("u16 %0, [%1], %2;", "=h"(v));
    } else if constexpr (sizeof(V) == 4) {
      NZ_LOAD_STREAMING("u32 %0, [%1], %2;", "=r"(v));
    } else if constexpr (sizeof(V) == 8) {
      NZ_LOAD_STREAMING("v2.u32 {%0, %1}, [%2], %3;", "=r"(v.x), "=r"(v.y));
    } else {
      NZ_LOAD_STREAMING("v4.u32 {%0, %1, %2, %3}, [%4], %5;", "=r"(v.x), "=r"(v.y), "=r"(v.z),
                        "=r"(v.w));
    }
    return as<V>(v);
  }
  template <class V>
  NZ_DEVICE V load_in_order(const ReadVector<V>& v) const {
    return v.of(load_in_order(v.at));
  }
  template <class V>
  NZ_DEVICE V load_in_order(const V* p) const {
    return as<V>(*word(p));
  }
  // No load but a read-only one moves past a barrier, so the threads that are here have one.
  NZ_DEVICE void order_loads() const { __syncwarp(__activemask()); }
  template <class V>
  NZ_DEVICE V load_coherent(const V* p) const {
    return as<V>(__ldcg(word(p)));
  }
  template <class V>
  NZ_DEVICE void store_streaming(V* p, std::type_identity_t<V> v) const {
    using W = typename Word<sizeof(V)>::type;
    __stcs(reinterpret_cast<W*>(p), as<W>(v));
  }
  template <int n, class V>
  NZ_DEVICE void copy_async(const SharedArray<V>& to, int i, const V* from) const {
    constexpr int bytes = n * int(sizeof(V));
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&to[i]));
    if constexpr (bytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes)
                   : "memory");
  }
  NZ_DEVICE void commit_copies() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int pending>
  NZ_DEVICE void wait_copies() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
  }
  NZ_DEVICE void fence() const { __threadfence(); }
  NZ_DEVICE void pause() const { __nanosleep(20); }

 private:
  template <class V>
  static NZ_DEVICE auto word(const V* p) {
    return reinterpret_cast<const typename Word<sizeof(V)>::type*>(p);
  }
  template <class To, class From>
  static NZ_DEVICE To as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
  }
  std::uint64_t policy_;
  int carved_ = 0;
};

template <class K>
struct Bounds {
  static constexpr int threads = [] {
    if constexpr (requires { K::max_threads; })
      return K::max_threads;
    else
      return 1024;
  }();
  static constexpr int blocks = [] {
    if constexpr (requires { K::min_blocks; })
      return K::min_blocks;
    else
      return 1;
  }();
};

template <class K>
__global__ void __launch_bounds__(Bounds<K>::threads, Bounds<K>::blocks)
    run_kernel(const __grid_constant__ K kernel, const std::uint64_t policy) {
  Thread thread(policy);
  kernel(thread);
}

// Kernels that say `unbounded` have no launch bounds, not even those of 1024 threads: the compiler
// keeps to fewer registers then than these would allow.
template <class K>
__global__ void run_unbounded(const __grid_constant__ K kernel, const std::uint64_t policy) {
  Thread thread(policy);
  kernel(thread);
}

// What is launched for the kernel.
template <class K>
constexpr auto entry_of() -> void (*)(const K, const std::uint64_t) {
  if constexpr (requires { K::unbounded; })
    return run_unbounded<K>;
  else
    return run_kernel<K>;
}

// Shared memory beyond 48 KiB must be asked for, once for each device. It only grows: another
// thread may be about to launch the same kernel with more.
template <class K>
void allow_shared(std::size_t bytes) {
  if (bytes <= 48u * 1024) return;
  static simt::AllowedShared allowed;
  allowed.ensure(bytes, [&] {
    simt::check_cuda(
        cudaFuncSetAttribute(entry_of<K>(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        K::name);
  });
}

// Queues the kernel on the current device. No blocks: nothing.
template <class K>
void launch(const Launch& how, const K& kernel) {
  static_assert(std::is_trivially_copyable_v<K>);
  if (how.blocks <= 0) return;
  allow_shared<K>(how.shared_bytes);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(how.blocks));
  config.blockDim = dim3(static_cast<unsigned>(how.threads));
  config.dynamicSmemBytes = how.shared_bytes;
  config.stream = how.stream;
  const cudaError_t status =
      cudaLaunchKernelEx(&config, entry_of<K>(), kernel, simt::cache_policy());
  if (status != cudaSuccess) simt::check_cuda(status, K::name);
}

// Blocks of the kernel that one multiprocessor holds at a time.
template <class K>
int resident_blocks(int threads, std::size_t shared_bytes) {
  allow_shared<K>(shared_bytes);
  int blocks = 0;
  simt::check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, entry_of<K>(), threads, shared_bytes),
      K::name);
  return blocks > 0 ? blocks : 1;
}

// Registers that the compiler gave a thread of the kernel.
template <class K>
int registers() {
  cudaFuncAttributes all{};
  simt::check_cuda(cudaFuncGetAttributes(&all, entry_of<K>()), K::name);
  return all.numRegs;
}

// Where kernels run that are launched now.
inline Device current_device() {
  int index = 0;
  simt::check_cuda(cudaGetDevice(&index), "cudaGetDevice");
  return {Device::Kind::cuda, index};
}

}  // namespace nz::cuda
