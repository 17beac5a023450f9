#include <nonzero/plan.hpp>

#include <array>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "plan/check_end.hpp"
#include "plan/check_several.hpp"
#include "plan/overlap.hpp"
#include "plan/plan_builder.hpp"
#include "plan/plan_state.hpp"
#include "plan/timing.hpp"
#include "simt/backend.hpp"
#include "simt/setup_scope.hpp"

namespace nz {
namespace {

template <class T>
void check_vectors(std::span<const T> x, std::span<T> y, index_t rows, index_t cols, Op op) {
  if (is_transposed(op)) std::swap(rows, cols);
  if (x.size() != static_cast<std::size_t>(cols))
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), cols));
  if (y.size() != static_cast<std::size_t>(rows))
    throw InvalidArgument(fmt::format("y has {} elements, needs {}", y.size(), rows));
  if (meet<T>(x.data(), std::ssize(x), y.data(), std::ssize(y)))
    throw InvalidArgument("x and y overlap");
}

Device device_of(const Kernel* kernel, const std::optional<Device>& wanted) {
  const Device device = wanted ? *wanted : kernel ? kernel->home() : cpu_device;
  if (wanted && *wanted != cpu_device && *wanted != emulator_device &&
      wanted->kind != Device::Kind::cuda)
    throw InvalidArgument(
        fmt::format("there is one {} only, not number {}", wanted->name(), wanted->index));
  if (wanted && *wanted != cpu_device) simt::backend(*wanted);  // says why it is not there
  if (device.kind == Device::Kind::cuda && !wanted) {
    const std::string why = why_no_cuda();
    if (!why.empty())
      throw NoResource(fmt::format("{} needs a CUDA device ({}){}", kernel->id(), why,
                                   kernel->runs_on_device(Device::Kind::emulator)
                                       ? "; the device \"emu\" runs it on the emulator, slowly"
                                       : ""));
  }
  if (kernel && !kernel->runs_on_device(device.kind))
    throw InvalidArgument(fmt::format("{} does not run on {}", kernel->id(), device.name()));
  return device;
}

// body(matrix) with the narrowest offsets that can count the entries; the matrix is the plan's.
template <Value T, Offset O, class Body>
void with_narrow(Csr<T, O> a, std::string_view note, Body&& body) {
  const auto adopt = [&]<Offset P>(Csr<T, P> matrix) {
    const auto owner = std::make_shared<const Csr<T, P>>(std::move(matrix));
    body(Admitted<T, P>{.view = owner->view(),
                        .owner = owner,
                        .bytes = owner->bytes(),
                        .in_place = false,
                        .note = note});
  };
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    adopt(csr_with_offsets<std::int32_t>(std::move(a)));
  else
    adopt(csr_with_offsets<std::int64_t>(std::move(a)));
}

template <Value T, Offset O>
std::array<const void*, 3> arrays_of(const CsrView<T, O>& a) {
  return {a.offsets, a.columns, a.values};
}

// plan() but for how the arrays come in: fill(state, kernel, device) takes them.
template <Value T, class Fill>
Plan<T> planned(const PlanOptions& options, Fill&& fill) {
  return or_no_memory("making a plan", [&] {
    auto state = std::make_unique<typename Plan<T>::State>();
    const ThreadScope scope(options.threads.value_or(nz::threads()));
    state->threads = nz::threads();
    if (options.kernel.empty() && !options.parameters.empty())
      throw InvalidArgument("parameters need a kernel: they belong to one");
    if (options.vectors < 1)
      throw InvalidArgument(fmt::format("a plan for {} vectors", options.vectors));
    if (!options.op.n && !options.op.t) throw InvalidArgument("a plan for neither N nor T");
    check_stored_values(options.store_values_as, value_type_of<T>);
    const Kernel* wanted = options.kernel.empty() ? nullptr : &find_kernel(options.kernel);
    fill(*state, wanted, device_of(wanted, options.device));
    return Plan<T>(std::move(state));
  });
}

// The scope of a plan under way. A thorough one makes large products and drops them again, and has
// a scope for each.
simt::SetupScope setup_of(const PlanOptions& options, Device device) {
  return simt::SetupScope(options.effort == Effort::thorough ? cpu_device : device);
}

// Waits for what the plan has queued, timed as part of making it.
template <class State>
void finish(State& state, simt::SetupScope& setup) {
  const Stopwatch watch(state.seconds), converting(state.story.converting);
  setup.finish();
}

// look(), timed as part of making the plan.
template <class State, class Look>
auto checked(State& state, Look&& look) {
  const Stopwatch watch(state.seconds), checking(state.story.checking);
  return look();
}

}  // namespace

template <Value T>
std::pair<const PlanPart<T>*, Op> Plan<T>::State::able_part_for(Op op) const {
  const auto found = part_for(op);
  if (!found.first->kernel->supports(found.second))
    throw InvalidArgument(fmt::format("{} has no transposed product", found.first->kernel->id()));
  return found;
}

template <Value T>
std::pair<const PlanPart<T>*, Op> Plan<T>::State::promised_part_for(Op op) const {
  const auto found = able_part_for(op);
  if (!promised.has(op))
    throw InvalidArgument(
        fmt::format("{} would not give the same bits again for op = {}: the plan is to be "
                    "deterministic, and was not made for it",
                    found.first->kernel->id(), name(op)));
  return found;
}

template <Value T>
template <Offset O>
void Plan<T>::State::prepare(const Admitted<T, O>& given, const Kernel* kernel, Device device,
                             const PlanOptions& options) {
  const Stopwatch watch(seconds);
  store_values_as = options.store_values_as;
  const Admitted<T, O> in = rounded(device, given, store_values_as, story.rounding);
  const CsrView<T, O>& a = in.view;
  rows = a.rows;
  cols = a.cols;
  input = options.input;
  story.input = in.note;
  PlanBuilder<T, O> builder{{*this, options, device}};
  if (kernel)
    builder.prepare_requested(*kernel, in);
  else
    builder.choose(in);
  team = team_of(a, kernel, device);
  // No table was fitted to complex products.
  if (ComplexValue<T> && !kernel && story.candidates.front().measured_seconds == 0)
    story.why += ", predicted as for real values of as many bytes";
  if (options.deterministic && a.nnz > 0) promised = {repeats(Op::none), repeats(Op::transpose)};
  fingerprint = late_fingerprint(device, a, few_places);
  story.device = device.name();
  story.threads = threads;
  story.n = options.op.n;
  story.t = options.op.t;
  story.deterministic = options.deterministic;
  story.bytes = bytes();
  story.csr_bytes = a.bytes();
}

// As many threads as the products were made for: a kernel that was asked for has a grain of its
// own, or takes all.
template <Value T>
template <Offset O>
int Plan<T>::State::team_of(const CsrView<T, O>& a, const Kernel* asked_for, Device device) const {
  if (!asked_for) return product_threads(device, shape_features(a));
  const auto grain = main.parameters.find("grain");
  return grain == main.parameters.end() ? threads
                                        : product_threads(device, shape_features(a), grain->second);
}

template <Value T>
template <Offset O>
void Plan<T>::State::update(const Admitted<T, O>& given, const std::array<const void*, 3>& arrays) {
  const Device device = main.product->device();
  ValueRounding rounding;
  const Admitted<T, O> in = rounded(device, given, store_values_as, rounding);
  const std::string changed =
      difference(known(fingerprint), nz::fingerprint(device, in.view, few_places));
  if (!changed.empty())
    throw InvalidArgument("the structure of the matrix is not the one planned for: " + changed);
  const PlanOptions none{};
  PlanBuilder<T, O> builder{{*this, none, device}};
  const auto again = [&](const PlanPart<T>& part) {
    const Candidate same{
        .kernel = part.kernel, .parameters = part.parameters, .transposed = part.transposed};
    return builder.make(same, builder.input_of(same, in));
  };
  const auto stays = [&](const PlanPart<T>& part) {
    return !part.product ||
           (in.in_place && !part.transposed && part.product->borrows() && borrowed == arrays);
  };
  PlanPart<T> new_main, new_second;
  std::string note(in.note);
  const bool replace_main = !stays(main), replace_second = !stays(second);
  if (replace_main) new_main = again(main);
  if (replace_second) new_second = again(second);
  if (replace_main) main = std::move(new_main);
  if (replace_second) second = std::move(new_second);
  borrowed = in.in_place ? arrays : std::array<const void*, 3>{};
  story.input = std::move(note);
  story.rounding = rounding;
}

template <Value T>
Plan<T>::Plan() noexcept = default;
template <Value T>
Plan<T>::Plan(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <Value T>
Plan<T>::Plan(Plan&&) noexcept = default;
template <Value T>
Plan<T>& Plan<T>::operator=(Plan&&) noexcept = default;
template <Value T>
Plan<T>::~Plan() = default;

template <Value T>
double Plan<T>::measure(Op op) const {
  constexpr double budget = 0.02;
  const auto [part, inner] = state_->able_part_for(op);
  const ThreadScope scope(team());
  return or_no_memory("measuring a multiply", [&, p = part, in = inner] {
    return is_transposed(op)
               ? time_multiply(*p->product, in, rows(), cols(), 1, Layout::row_major, budget)
               : time_multiply(*p->product, in, cols(), rows(), 1, Layout::row_major, budget);
  });
}

template <Value T>
void Plan<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                       StreamView stream) const {
  const State& s = *state_;
  check_vectors(x, y, s.rows, s.cols, op);
  const auto [part, inner] = s.promised_part_for(op);
  or_no_memory("a multiply", [&, p = part, in = inner] {
    p->product->multiply_on(stream, in, alpha, x, beta, y);
  });
}

template <Value T>
void Plan<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y,
                       const Epilogue<T>& end, Op op, StreamView stream) const {
  const State& s = *state_;
  check_vectors(x, y, s.rows, s.cols, op);
  if constexpr (RealValue<T>) check_end<T>(end, x, y);
  const auto [part, inner] = s.promised_part_for(op);
  or_no_memory("a multiply", [&, p = part, in = inner] {
    const ThreadScope scope(s.team);
    p->product->multiply_fused(stream, in, alpha, x, beta, y, end);
  });
}

template <Value T>
bool Plan<T>::fuses(Op op) const {
  const auto [part, inner] = state_->part_for(op);
  return part->product->fuses(inner);
}

template <Value T>
void Plan<T>::multiply(T alpha, const T* x, T beta, T* y, Op op, StreamView stream) const {
  const auto rows = static_cast<std::size_t>(state_->rows),
             cols = static_cast<std::size_t>(state_->cols);
  if (is_transposed(op))
    multiply(alpha, std::span<const T>(x, rows), beta, std::span<T>(y, cols), op, stream);
  else
    multiply(alpha, std::span<const T>(x, cols), beta, std::span<T>(y, rows), op, stream);
}

template <Value T>
void Plan<T>::multiply(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                       StreamView stream) const {
  const State& s = *state_;
  check_several(x, y, s.rows, s.cols, op);
  const auto [part, inner] = s.promised_part_for(op);
  or_no_memory("a multiply", [&, p = part, in = inner] {
    if (y.columns() == 1 && x.has_plain_columns() && y.has_plain_columns())
      p->product->multiply_on(stream, in, alpha, {x.data(), static_cast<std::size_t>(x.rows())},
                              beta, {y.data(), static_cast<std::size_t>(y.rows())});
    else if (y.columns() > 0)
      p->product->multiply_several(stream, in, alpha, x, beta, y);
  });
}

template <Value T>
std::unique_ptr<BoundProduct<T>> Plan<T>::bind(Op op, StreamView stream) const {
  const State& s = *state_;
  const auto [part, inner] = s.promised_part_for(op);
  const auto rows = static_cast<std::size_t>(s.rows), cols = static_cast<std::size_t>(s.cols);
  return or_no_memory("binding a plan to a stream", [&, p = part, in = inner] {
    return is_transposed(op) ? p->product->bind(stream, in, rows, cols)
                             : p->product->bind(stream, in, cols, rows);
  });
}

template <Value T>
template <Offset O>
void Plan<T>::update_values(const CsrView<T, O>& a) {
  or_no_memory("new values of a plan", [&] {
    const ThreadScope scope(team());
    state_->update(admit(device(), a, state_->input), arrays_of(a));
  });
}

template <Value T>
template <Offset O>
void Plan<T>::update_values(Csr<T, O> a) {
  or_no_memory("new values of a plan", [&] {
    const ThreadScope scope(team());
    const std::string_view note = admit_owned(device(), a, state_->input);
    with_narrow(std::move(a), note, [&](const auto& in) { state_->update(in, {}); });
  });
}

template <Value T>
const Explanation& Plan<T>::explain() const {
  return state_->story;
}
template <Value T>
index_t Plan<T>::rows() const {
  return state_->rows;
}
template <Value T>
index_t Plan<T>::cols() const {
  return state_->cols;
}
template <Value T>
const Kernel& Plan<T>::kernel() const {
  return *state_->main.kernel;
}
template <Value T>
const Parameters& Plan<T>::parameters() const {
  return state_->main.parameters;
}
template <Value T>
const Product<T>& Plan<T>::product() const {
  return *state_->main.product;
}
template <Value T>
const Product<T>& Plan<T>::product(Op op) const {
  return *state_->part_for(op).first->product;
}
template <Value T>
bool Plan<T>::transposed() const {
  return state_->main.transposed;
}
template <Value T>
bool Plan<T>::stores_transpose() const {
  return state_->second.product != nullptr;
}
template <Value T>
bool Plan<T>::supports(Op op) const {
  const auto [part, inner] = state_->part_for(op);
  return part->kernel->supports(inner) && state_->promised.has(op);
}
template <Value T>
bool Plan<T>::repeats(Op op) const {
  return state_->repeats(op);
}
template <Value T>
bool Plan<T>::reads_in_place() const {
  return !transposed() && !stores_transpose() && product().borrows();
}
template <Value T>
const std::string& Plan<T>::reason() const {
  return state_->story.why;
}
template <Value T>
int Plan<T>::threads() const {
  return state_->threads;
}
template <Value T>
int Plan<T>::team() const {
  return state_->team;
}
template <Value T>
Device Plan<T>::device() const {
  return state_->main.product->device();
}
template <Value T>
double Plan<T>::prepare_seconds() const {
  return state_->seconds;
}
template <Value T>
std::size_t Plan<T>::bytes() const {
  return state_->bytes();
}

template <Value T, Offset O>
Plan<T> plan(const CsrView<T, O>& a, const PlanOptions& options) {
  return planned<T>(options, [&](auto& state, const Kernel* kernel, Device device) {
    simt::SetupScope setup = setup_of(options, device);
    const bool looks = !kernel && options.effort != Effort::instant;
    const auto in = checked(state, [&] { return admit(device, a, options.input, looks); });
    state.prepare(in, kernel, device, options);
    finish(state, setup);
    if (in.in_place && options.store_values_as == StoredValues::exact)
      state.borrowed = arrays_of(a);
  });
}

template <Value T, Offset O>
Plan<T> plan(Csr<T, O> a, const PlanOptions& options) {
  return planned<T>(options, [&](auto& state, const Kernel* kernel, Device device) {
    const std::string_view note =
        checked(state, [&] { return admit_owned(device, a, options.input); });
    simt::SetupScope setup = setup_of(options, device);
    with_narrow(std::move(a), note,
                [&](const auto& in) { state.prepare(in, kernel, device, options); });
    finish(state, setup);
  });
}

template <Value T, Offset O>
Choice choose(const CsrView<T, O>& a, Op op, Device device, Effort effort, Input input) {
  return or_no_memory("choosing a kernel", [&]() -> Choice {
    const Admitted<T, O> in = admit(device, a, input);
    const PlanOptions options{.device = device, .op = op, .effort = effort};
    if (device == cpu_device && effort == Effort::balanced && a.nnz > 0) {  // it may try some out
      typename Plan<T>::State state;
      state.rows = a.rows;
      state.cols = a.cols;
      PlanBuilder<T, O> builder{{state, options, device}};
      builder.may_transpose = false;
      builder.choose(in);
      return {state.main.kernel, state.main.parameters, state.story.why};
    }
    const Selection s = select(in.view, device, {.use = op, .effort = effort});
    if (s.usable == 0)
      throw InvalidArgument(fmt::format("no kernel on {} takes this matrix", device.name()));
    const Candidate& best = s.candidates.front();
    return {best.kernel, best.parameters, best.why};
  });
}

template <Value T, Offset O>
std::shared_ptr<const Product<T>> prepare(const Kernel& kernel, const CsrView<T, O>& a,
                                          const Parameters& parameters, Device device,
                                          Input input) {
  return or_no_memory("preparing a kernel", [&] {
    if (!kernel.runs_on_device(device.kind))
      throw InvalidArgument(fmt::format("{} does not run on {}", kernel.id(), device.name()));
    const auto in = admit(device, a, input);
    struct Both {
      std::shared_ptr<const void> arrays;
      std::unique_ptr<Product<T>> product;
    };
    auto both = std::make_shared<Both>();
    both->product =
        make_product(kernel, in.view, fitted(kernel, parameters, in.view, device), device);
    if (both->product->borrows()) both->arrays = in.owner;
    const Product<T>* product = both->product.get();
    return std::shared_ptr<const Product<T>>(std::move(both), product);
  });
}

#define NZ_INSTANTIATE(T, O)                                                              \
  template Plan<T> plan(const CsrView<T, O>&, const PlanOptions&);                        \
  template Plan<T> plan(Csr<T, O>, const PlanOptions&);                                   \
  template Choice choose(const CsrView<T, O>&, Op, Device, Effort, Input);                \
  template std::shared_ptr<const Product<T>> prepare(const Kernel&, const CsrView<T, O>&, \
                                                     const Parameters&, Device, Input);   \
  template void Plan<T>::update_values(const CsrView<T, O>&);                             \
  template void Plan<T>::update_values(Csr<T, O>);
#define NZ_INSTANTIATE_CLASS(T) template class Plan<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
