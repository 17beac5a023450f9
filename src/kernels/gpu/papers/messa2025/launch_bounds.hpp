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

// The kernel that the parameters ask for. make<K>(out) is its body, of which Body::paper_loop is
// the program's loop. The emulator has no registers to bound: one kernel a loop does there.
class BoundedKernel {
 public:
  template <class T, class O>
  BoundedKernel(const CsrView<T, O>& a, const Parameters& p, int blocks, int threads)
      : form_(form_for(a, p, blocks, threads)), how_{.blocks = blocks, .threads = threads} {
    rolled_ = p.at("rolled") != 0;
    if (rolled_) return;
    bounds_ = static_cast<int>(p.at("launch_bounds"));
    if (bounds_ == bounds_by_length) bounds_ = launch_bounds_for(a.rows, a.nnz);
  }
  void set_shared_bytes(std::size_t bytes) { how_.shared_bytes = bytes; }

  template <class T, class Make>
  void launch(CUstream_st* stream, T alpha, T beta, T* y, Make&& make) const {
    Launch how = how_;
    how.stream = stream;
    with_kernel(alpha, beta, y, make, [&](const auto& kernel) { NZ_HOME::launch(how, kernel); });
  }

  // Of y = A x, which may have a kernel of its own. Registers only where there are some.
  template <class T, class Make>
  Facts facts(Make&& make) const {
    Facts all{{"launch_bounds", bounds_}};
    with_kernel(T(1), T(0), static_cast<T*>(nullptr), make, [&]<class Kernel>(const Kernel&) {
      if (const int n = registers<Kernel>(); n > 0) all["registers"] = n;
    });
    return all;
  }

 private:
  template <class T, class Make, class F>
  void with_kernel(T alpha, T beta, T* y, Make&& make, F&& f) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      with_bounds(make.template operator()<K>(out), f);
    });
  }
  template <class Body, class F>
  void with_bounds(const Body& body, F&& f) const {
    if (rolled_) return f(Bounded<Body, Loop::rolled, 0>{body});
#ifdef __CUDACC__
    if (bounds_ == 1) return f(Bounded<Body, Body::paper_loop, 1>{body});
    if (bounds_ == 2) return f(Bounded<Body, Body::paper_loop, 2>{body});
    if (bounds_ == 3) return f(Bounded<Body, Body::paper_loop, 3>{body});
    if (bounds_ == most_bounds) return f(Bounded<Body, Body::paper_loop, most_bounds>{body});
#endif
    f(Bounded<Body, Body::paper_loop, 0>{body});
  }

  Form form_;
  Launch how_;
  bool rolled_ = false;
  int bounds_ = 0;
};

}  // namespace nz::NZ_HOME
