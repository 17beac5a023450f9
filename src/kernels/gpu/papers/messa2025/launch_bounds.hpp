#pragma once
#include <cstdint>

#include "kernels/gpu/papers/messa2025/row_loops.hpp"
#include "kernels/row_groups.hpp"

// The launch bounds of messa2025 §V-A: blocks of at most 256 threads, of which a multiprocessor
// must hold so many. They are compiled in, so there is a kernel for each. More threads than that
// are refused also where there are no bounds: a thread may then have any number of registers.
namespace nz::NZ_HOME {

// A kernel is Body::work<loop>(t); blocks = 0: without bounds.
template <class Body, Loop loop, int blocks>
struct Bounded {
  static constexpr const char* name = Body::name;
  static constexpr int max_threads = 256, min_blocks = blocks;
  Body body;
  NZ_DEVICE void operator()(Thread& t) const { body.template work<loop>(t); }
};
template <class Body, Loop loop>
struct Bounded<Body, loop, 0> {
  static constexpr const char* name = Body::name;
  static constexpr bool unbounded = true;
  Body body;
  NZ_DEVICE void operator()(Thread& t) const { body.template work<loop>(t); }
};

inline constexpr int bounds_by_length = -1, most_bounds = 4;

// `initial`: what the paper's program does with the kernel.
inline Parameter launch_bounds_parameter(int initial) {
  return {"launch_bounds",
          "blocks that a multiprocessor must hold, where the loop is not rolled; 0: no bounds, -1: "
          "by mean row length",
          initial, bounds_by_length, most_bounds};
}
inline Parameter rolled_parameter() {
  return {"rolled", "1: the loop over a row is by four and not unrolled any further", 0, 0, 1};
}

// The kernel that the parameters ask for, found once. Body::paper_loop is the program's. The
// emulator has no registers to bound: one kernel a loop does there.
template <class Body>
class BoundedKernel {
 public:
  BoundedKernel(index_t rows, std::int64_t nnz, const Parameters& p) {
    if (p.at("rolled") != 0) {
      take<Loop::rolled, 0>();
      return;
    }
    bounds_ = static_cast<int>(p.at("launch_bounds"));
    if (bounds_ == bounds_by_length) bounds_ = launch_bounds_for(rows, nnz);
#ifdef __CUDACC__
    if (bounds_ == 1)
      take<Body::paper_loop, 1>();
    else if (bounds_ == 2)
      take<Body::paper_loop, 2>();
    else if (bounds_ == 3)
      take<Body::paper_loop, 3>();
    else if (bounds_ == most_bounds)
      take<Body::paper_loop, most_bounds>();
    else
#endif
      take<Body::paper_loop, 0>();
  }

  void launch(const Launch& how, const Body& body) const { run_(how, body); }

  // Registers only where there are some.
  Facts facts() const {
    Facts all{{"launch_bounds", bounds_}};
    if (registers_ > 0) all["registers"] = registers_;
    return all;
  }

 private:
  template <Loop loop, int blocks>
  void take() {
    using K = Bounded<Body, loop, blocks>;
    run_ = run<K>;
    registers_ = NZ_HOME::registers<K>();
  }
  template <class K>
  static void run(const Launch& how, const Body& body) {
    NZ_HOME::launch(how, K{body});
  }

  void (*run_)(const Launch&, const Body&) = nullptr;
  int bounds_ = 0, registers_ = 0;
};

}  // namespace nz::NZ_HOME
