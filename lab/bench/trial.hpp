#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/truth.hpp>

#include "lab/bench/launch_sampling.hpp"
#include "lab/bench/measure.hpp"
#include "lab/bench/several.hpp"

namespace nz::lab {

enum class Status { ok, wrong, refused, failed };
std::string_view name(Status s);  // "ok"

// One kernel on one matrix for one op: checked, then timed. A wrong result gets no time; what was
// refused or failed stays, with the reason.
struct Trial {
  const Kernel* kernel = nullptr;
  Device device{};
  Op op = Op::none;
  ValueType type = ValueType::f64;
  VectorSet vectors{};
  int threads = 1;        // of the CPU
  Parameters parameters;  // complete, unless they were the reason
  Status status = Status::ok;
  std::string reason;
  bool prepared = false;  // the next four mean something
  double prepare_seconds = 0;
  std::size_t bytes = 0;    // of the prepared matrix
  std::size_t traffic = 0;  // what one product must move, by the kernel's byte model
  Facts facts{};            // what the prepared matrix tells of itself
  std::string plan{};       // of a row of plan_rows.hpp: what the plan took for op, and why
  double worst_error = 0;   // as a share of its bound
  bool one_by_one = false;  // several vectors, but the product has none of its own for them
  int judged_columns = 0;   // of several, those that were judged as one vector is
  // No samples unless ok, and none on the emulator. On a GPU with the caches flushed, where that
  // can be told from the flush; `hot` without. Where the budget asks for batches, those of them.
  Timing timing;
  Timing hot{};                        // GPU only
  std::shared_ptr<const void> kept{};  // the prepared product, where the attempt keeps it
  bool replayed = false;               // from a CUDA graph

  void take(LaunchTiming timed, const Budget& budget);
};

// What to try.
struct Attempt {
  Device device{};
  std::vector<Op> ops{Op::none};
  VectorSet vectors{};
  Parameters parameters{};
  int threads = 0;   // 0: as many as nz::threads() says; a kernel that is not threaded gets one
  bool pin = false;  // bind the threads before preparing and before timing
  Budget budget{};
  int products = 1;  // of a profile on the CPU, after the one to warm up
  // Of the products that are timed. What is checked is op(A) x, whose y they begin with.
  double alpha = 1, beta = 0;
  bool keep = false;  // what was prepared, for time_again()
};

template <Value T, Offset O>
class DeviceStage;
template <Value T, Offset O>
class SeveralStage;

// Why a right product of the emulator has no time.
inline constexpr const char* emulator_note = "verified; the emulator is for truth, not for speed";

// A matrix on the stage: with the vectors to multiply, and with the exact products, each made once
// and when first needed, to judge every kernel by. For a GPU matrix and vectors are copied there
// once. Borrows the matrix.
template <Value T, Offset O>
class Stage {
 public:
  explicit Stage(const CsrView<T, O>& a);
  ~Stage();

  const CsrView<T, O>& matrix() const { return a_; }

  // One trial for each op; prepared once for all. Exceptions become trials.
  std::vector<Trial> perform(const Kernel& kernel, const Attempt& attempt);

  // More samples of a trial whose product was kept, on the CPU.
  void time_again(Trial& t, const Attempt& attempt);

  // For a profiler: nothing but prepare and, for each op, one multiply to warm up and one more (on
  // the CPU as many as the attempt says), whose times are the only samples. Checks nothing.
  std::vector<Trial> profile(const Kernel& kernel, const Attempt& attempt);

 private:
  struct Part {
    Array<T> x, y;
    Reference<T> exact;
    bool judges = false;
  };
  Part& part(Op op);
  Timing time_here(const Trial& t, const Product<T>& product, const Attempt& attempt);
  const Reference<T>& exact(Op op);
  DeviceStage<T, O>& far(Device device);
  SeveralStage<T, O>& several();
  template <class Play>
  std::vector<Trial> play(const Kernel& kernel, const Attempt& attempt, Play&& play);

  CsrView<T, O> a_;
  std::map<Op, Part> parts_;
  std::unique_ptr<DeviceStage<T, O>> far_;  // of the device that was asked for last
  std::unique_ptr<SeveralStage<T, O>> several_;
};

}  // namespace nz::lab
