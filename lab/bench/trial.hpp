#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/truth.hpp>

#include "lab/bench/measure.hpp"

namespace nz::lab {

enum class Status { ok, wrong, refused, failed };
std::string_view name(Status s);  // "ok"

// One kernel on one matrix for one op: checked, then timed. A wrong result gets no time; what was
// refused or failed stays, with the reason.
struct Trial {
  const Kernel* kernel = nullptr;
  Op op = Op::none;
  ValueType type = ValueType::f64;
  int threads = 1;
  Parameters parameters;  // complete, unless they were the reason
  Status status = Status::ok;
  std::string reason;
  bool prepared = false;  // the next three mean something
  double prepare_seconds = 0;
  std::size_t bytes = 0;    // of the prepared matrix
  std::size_t traffic = 0;  // what one product must move, by the kernel's byte model
  double worst_error = 0;   // as a share of its bound
  Timing timing;            // no samples unless ok
};

// What to try.
struct Attempt {
  std::vector<Op> ops{Op::none};
  Parameters parameters{};
  int threads = 0;   // 0: as many as nz::threads() says; a kernel that is not threaded gets one
  bool pin = false;  // bind the threads before preparing and before timing
  Budget budget{};
};

// A matrix on the stage: with the vectors to multiply, and with the exact products, each made once
// and when first needed, to judge every kernel by. Borrows the matrix.
template <Value T, Offset O>
class Stage {
 public:
  explicit Stage(const CsrView<T, O>& a) : a_(a) {}

  // One trial for each op; prepared once for all. Exceptions become trials.
  std::vector<Trial> perform(const Kernel& kernel, const Attempt& attempt);

  // For a profiler: nothing but prepare and, for each op, one multiply to warm up and one more,
  // whose time is the only sample. Checks nothing.
  std::vector<Trial> profile(const Kernel& kernel, const Attempt& attempt);

 private:
  struct Part {
    Array<T> x, y;
    Reference<T> exact;
    bool judges = false;
  };
  Part& part(Op op);
  const Reference<T>& exact(Op op);
  template <class Play>
  std::vector<Trial> play(const Kernel& kernel, const Attempt& attempt, Play&& play);

  CsrView<T, O> a_;
  std::map<Op, Part> parts_;
};

}  // namespace nz::lab
