#pragma once
#include <cstddef>
#include <cstdint>

#include "solve/scalar_steps.hpp"

struct CUstream_st;

// What solvers do to vectors, in one pass over memory: a few updates of each element, sums over
// what came of it, and then a few steps on the scalars. CPU, GPU and emulator run the same sweeps.
namespace nz {

// factor, or factor * scalars[slot].
struct Coefficient {
  double factor = 0;
  int slot = -1;
};

// y = a d x + b y + c. No x: ones. No d: ones. Where b's factor is 0, y is not read.
template <class T>
struct VectorUpdate {
  T* y = nullptr;
  const T* x = nullptr;
  const T* d = nullptr;
  Coefficient a{}, b{}, c{};
  bool measured = false;  // sum 0 gets |y after - y before|
  bool once = false;      // too long for the cache, and nothing else touches y for a while
};

// The sum of u v over all elements; without v that of u; without both it is the measured one.
template <class T>
struct VectorSum {
  const T* u = nullptr;
  const T* v = nullptr;
  int slot = 0;
};

template <class T>
struct Sweep {
  static constexpr int most_updates = 3, most_sums = 3, most_steps = 24;
  std::int64_t n = 0;
  int updates = 0, sums = 0, steps = 0;
  VectorUpdate<T> update[most_updates];
  VectorSum<T> sum[most_sums];
  ScalarStep step[most_steps];
};

// The scalars of a solver, and what else its sweeps share; on a GPU all in its memory.
struct SweepRoom {
  double* scalars = nullptr;
  int size = 0;                 // of them
  double* log = nullptr;        // residuals, one a recorded iteration, and whatever is pushed
  double* parts = nullptr;      // most_sums for each of `blocks`
  unsigned* counter = nullptr;  // 0 between sweeps
  unsigned* arrived = nullptr;  // the same between chains
  int blocks = 1;               // the most that a sweep may have
  std::size_t cache_bytes = 0;  // of the device
};

inline constexpr int sweep_threads = 256;

// Queues the sweep on the current device. Once scalars[stopped] is set, sweeps do nothing. Sums are
// the same bits every time.
//
// queue_chain() queues as many of the n sweeps as there is one kernel for, from the first one on,
// and returns how many: 0 where there is none. It makes of them what the sweeps alone would make.
#define NZ_DECLARE_SWEEP                                                               \
  template <class T>                                                                   \
  void queue_sweep(CUstream_st* stream, const Sweep<T>& sweep, const SweepRoom& room); \
  template <class T>                                                                   \
  int queue_chain(CUstream_st* stream, const Sweep<T>* sweeps, int n, const SweepRoom& room);
namespace cuda {
NZ_DECLARE_SWEEP
}
namespace emulated {
NZ_DECLARE_SWEEP
}
#undef NZ_DECLARE_SWEEP

}  // namespace nz
