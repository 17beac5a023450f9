#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/dense.hpp>
#include <nonzero/epilogue.hpp>
#include <nonzero/explain.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/stored_values.hpp>
#include <nonzero/kernel.hpp>

namespace NZ_API nz {

// Which products a plan is made for. Others work, but may be slow. The conjugate transpose of a
// complex matrix counts as T, its conjugate as N.
struct Use {
  bool n = true, t = false;
  constexpr Use() = default;
  constexpr Use(Op op) : n(!is_transposed(op)), t(is_transposed(op)) {}
  constexpr Use(bool n_, bool t_) : n(n_), t(t_) {}
  constexpr bool has(Op op) const { return is_transposed(op) ? t : n; }
  friend bool operator==(const Use&, const Use&) = default;
};
inline constexpr Use both_ops{true, true};

// What making a plan may cost, beyond bringing the CSR arrays to the device.
enum class Effort : char {
  instant,   // about 3 multiplies: mostly CSR as it is
  balanced,  // 40 to 120 multiplies: the best that was predicted, on a CPU by the clock as well
  thorough,  // whatever it takes: the best few are prepared and timed
};
std::string_view name(Effort effort);
// Throws InvalidArgument for another name, listing those there are.
Effort effort_named(std::string_view name);

// What is believed of the arrays of a caller.
enum class Input : char {
  // Any bits are safe. Shape, offsets and columns are looked at once, with the threads of a
  // multiply or by the device where they lie there, for less than one multiply of a large matrix,
  // on a GPU at least 70 us; what is wrong is an InvalidArgument with the row, the entry and the
  // value. Two things that are not wrong work, too:
  // - rows that are not sorted or name a column twice: a sorted copy is made, in which duplicates
  //   are summed in the order given. Nothing is borrowed then. For arrays on a device that goes
  //   through the host, which is slow.
  // - a slice, rows of a larger matrix: the offsets are those of that matrix, offsets[0] is not 0,
  //   and count in its columns and values; nnz is what these rows have, offsets[rows] - offsets[0].
  //   The offsets are copied, columns and values borrowed.
  checked,
  // No look. The caller promises what validate() would say: offsets[0] = 0, offsets that never
  // fall and end with nnz, columns from 0 to cols - 1 that rise strictly in each row. For other
  // arrays everything is undefined: reads and writes anywhere, wrong results.
  trusted,
};

// Where plans made with effort = thorough keep what they found, so that the next one for the same
// structure on the same device need not look and time again (docs/plans.md). Other plans write
// nothing; all that choose read the device's table of `nonzero tune`, once a process, where there
// is one. What cannot be read or written is ignored.
struct TuningCache {
  bool use = true;  // the environment can say no as well: NONZERO_TUNING=off
  // Empty: $NONZERO_CACHE, else $XDG_CACHE_HOME/nonzero, else ~/.cache/nonzero.
  std::string directory{};
};

struct PlanOptions {
  std::string kernel{};     // an id of the registry; empty: the plan chooses
  Parameters parameters{};  // only with a kernel
  // The threads of every multiply; empty: as many as nz::threads() says now.
  std::optional<int> threads{};
  // device_named() has it by name. Empty: where the kernel runs, cuda:0 for one for GPUs, and the
  // CPU where the plan chooses the kernel.
  std::optional<Device> device{};
  // The products that will be asked for: Op::none, Op::transpose or both_ops; the conjugate
  // transpose counts as the transpose. The choice is made for them.
  Use op{};
  // How many vectors most products will have: what is best for one is not always so for several.
  // Others work as well.
  int vectors = 1;
  // How several vectors will mostly lie, X and Y alike. Others work as well.
  Layout layout = Layout::row_major;
  Effort effort = Effort::balanced;
  // The most bytes that the plan may keep on its device; 0: no limit. Arrays of the caller's that
  // it borrows do not count.
  std::size_t memory_limit = 0;
  // The same bits whenever the same product is repeated, on the same device by the same plan.
  // multiply() then refuses an op that the plan was not made for if it cannot promise that.
  bool deterministic = false;
  // With op = both_ops: whether the transpose may be kept as a matrix of its own, so that T is as
  // fast as N. Unset: where there is no memory_limit and both take at most a quarter of the
  // memory that is free on the device, or are no larger than CSR; an instant plan never does.
  std::optional<bool> store_transpose{};
  TuningCache cache{};
  // Of the arrays that the plan is made from, and of those that update_values() is given.
  Input input = Input::checked;
  // The type that values are rounded to and stored in: f32 for a plan of double, f16 or bf16 for
  // one of float. Vectors stay what they are, and products are added up in their type; explain()
  // states the error. Only kernels that store fewer bytes then are considered: InvalidArgument for
  // another one by name, Refused for a value that would become infinite.
  StoredValues store_values_as = StoredValues::exact;
};

// What a plan takes when it is left the choice.
struct Choice {
  const Kernel* kernel = nullptr;
  Parameters parameters{};
  std::string reason;  // for people, one line
};

// Looks at samples of the matrix, for the number of threads that is set; a balanced choice on a CPU
// also times a few candidates. Only what works on the matrix as it is: a plan may also take its
// transpose.
template <Value T, Offset O>
NZ_API Choice choose(const CsrView<T, O>& a, Op op = Op::none, Device device = cpu_device,
                     Effort effort = Effort::balanced, Input input = Input::checked);

// One kernel prepared without a plan, from a matrix in host memory or in the device's. Parameters
// that are not given are fitted to the matrix. Kernel::prepare is the same without the look: it
// trusts its arrays. Throws as plan() does. Arrays that were copied live as long as the product;
// others are the caller's where the product borrows().
template <Value T, Offset O>
NZ_API std::shared_ptr<const Product<T>> prepare(const Kernel& kernel, const CsrView<T, O>& a,
                                                 const Parameters& parameters = {},
                                                 Device device = cpu_device,
                                                 Input input = Input::checked);

// A matrix ready to be multiplied: made once by plan(), used often. Several threads may multiply
// with one plan at the same time, each into a y of its own, and on a GPU on any streams. What
// changes a plan (update_values, assignment, its end) must be alone, and on a GPU come after queued
// work. A plan can be moved, not copied. An empty one, made without plan() or moved from, may only
// be assigned to or destroyed.
template <Value T>
class Plan {
 public:
  Plan() noexcept;
  // What it consists of is the library's own (src/plan/plan_state.hpp): only plan() makes one.
  struct State;
  explicit Plan(std::unique_ptr<State> state);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  // y = alpha op(A) x + beta y. Throws InvalidArgument when a length is wrong, when x and y
  // overlap, or when the kernel cannot do op. To a real matrix the conjugate transpose is the
  // transpose.
  // On a GPU it runs on the stream, the device's default one when none is given, and may still run
  // when multiply returns, unless x or y lies in host memory (which is slow; kernel.hpp).
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  // The same for plain pointers, to as many elements as op asks for: nobody can look at lengths.
  void multiply(T alpha, const T* x, T beta, T* y, Op op = Op::none, StreamView stream = {}) const;

  // The same with an epilogue: more is done to y, and summed up over it, while it is at hand.
  // Throws as above, for vectors of other lengths than y, for an `add` or a result that overlaps y,
  // for an interval without numbers, and on a GPU for what does not lie in the device's memory.
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, const Epilogue<T>& end,
                Op op = Op::none, StreamView stream = {}) const;
  // Whether op does an epilogue in the pass that makes y; otherwise a sweep over y follows.
  bool fuses(Op op) const;

  // Y = alpha op(A) X + beta Y for several vectors, the columns of X and Y: each in its own layout,
  // row by row or column by column. One vector costs what it costs above. Throws as above, and for
  // a leading dimension that is too small.
  void multiply(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  // One vector for many calls, with op and stream settled once: the shortest way to a GPU, for
  // device pointers. A call of what this returns takes no lock, asks the CUDA runtime nothing and
  // checks nothing; kernel.hpp says what the caller promises instead. Throws InvalidArgument where
  // multiply() would for op and stream, NoResource where there is no memory for its scratch.
  std::unique_ptr<BoundProduct<T>> bind(Op op = Op::none, StreamView stream = {}) const;

  // Other values for the same structure: the same kernel is prepared again, without choosing.
  // Arrays are looked at, taken over or borrowed as by plan(). A plan that reads_in_place(), whose
  // caller has written new values there, needs nothing, and this does nothing then; all others, one
  // that keeps the transpose or had to sort a copy among them, must be told. Structures are
  // compared as they are once sorted and summed. Throws InvalidArgument, saying what differs, where
  // the structure is another one (a small change in a large matrix can escape the samples that are
  // compared), Refused where the kernel declines the new values, and NoResource where memory is
  // short: the plan is then as it was.
  template <Offset O>
  void update_values(const CsrView<T, O>& a);
  template <Offset O>
  void update_values(Csr<T, O> a);

  // Seconds of one multiply, measured now, hot, with vectors of its own: a few hundredths of a
  // second.
  double measure(Op op = Op::none) const;

  // How it came about: features, candidates, times, memory.
  const Explanation& explain() const;

  index_t rows() const;
  index_t cols() const;
  // Of the product that does most of the work; N's where each has its own.
  const Kernel& kernel() const;
  const Parameters& parameters() const;
  const Product<T>& product() const;
  // The one that does op; prepared from the transpose, it does so by its other product.
  const Product<T>& product(Op op) const;
  // It was prepared from the transpose: its N is the plan's T.
  bool transposed() const;
  // The transpose is kept, too, and does T.
  bool stores_transpose() const;
  // Whether multiply() takes op: the kernel has it, and a deterministic plan can keep its promise.
  bool supports(Op op) const;
  // Whether op gives the same bits whenever it is repeated.
  bool repeats(Op op) const;
  // All products read the arrays that the plan was made from: new values in place reach them.
  bool reads_in_place() const;
  // Why this kernel, where the plan chose it; empty where it was told.
  const std::string& reason() const;
  int threads() const;
  // As many of them as a multiply wakes at most: a small matrix is not worth all. Work on vectors
  // between its multiplies had better take as many, for which no thread ends or begins.
  int team() const;
  Device device() const;
  double prepare_seconds() const;
  // All memory the plan keeps on its device, the matrix included where it owns it.
  std::size_t bytes() const;

 private:
  std::unique_ptr<State> state_;
};

// Throws InvalidArgument for an unknown kernel or parameter, for fewer than one thread, and for
// arrays that are no CSR matrix, Refused where the kernel declines the matrix, or a value would be
// infinite in the type of store_values_as, NoResource where memory is short or the limit is too
// low. Takes the matrix over (move it in to avoid the copy). 64-bit offsets are narrowed when they
// can be; the CSR arrays are freed when the kernel does not need them.
template <Value T, Offset O>
NZ_API Plan<T> plan(Csr<T, O> a, const PlanOptions& options = {});

// Borrows the caller's arrays, unless they had to be sorted: offsets and columns must stay as they
// are while the plan lives. For a plan on a GPU they may lie in that device's memory; kernels on
// CSR then use them in place.
template <Value T, Offset O>
NZ_API Plan<T> plan(const CsrView<T, O>& a, const PlanOptions& options = {});

}  // namespace nz
