#include <nonzero/batch.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "device/csr.hpp"
#include "formats/inspect.hpp"
#include "kernels/batch.hpp"
#include "plan/overlap.hpp"
#include "simt/backend.hpp"

namespace nz {

template <RealValue T>
struct Batch<T>::State {
  Device device{};
  int threads = 1;
  Use op = both_ops;
  std::int64_t matrices = 0;
  // Of one structure: its shape, and nothing in the lists. Of many: where each begins, and the end.
  bool one_structure = false;
  index_t rows = 0, cols = 0;
  std::vector<std::int64_t> row_offsets, col_offsets;
  std::int64_t values = 0;  // of all
  MadeBatch<T> made;

  void check(std::int64_t matrix, std::int64_t most) const {
    if (matrix < 0 || matrix > most)
      throw InvalidArgument(fmt::format("matrix {} of a batch of {}", matrix, matrices));
  }
  // Where the part of a matrix begins in a vector that has as many elements as it has rows, or
  // columns.
  std::int64_t offset(bool of_rows, std::int64_t matrix) const {
    if (one_structure) return matrix * (of_rows ? rows : cols);
    return (of_rows ? row_offsets : col_offsets)[static_cast<std::size_t>(matrix)];
  }
};

namespace {

// Numbers of rows, columns and entries of a batch stay below this: sums of them have a number.
constexpr std::int64_t most_elements = std::numeric_limits<std::int64_t>::max() / 8;

// A pattern of small matrices has about so many tiles: then the last of them is not half empty.
constexpr std::int64_t tiles_of_pattern = 8;

template <RealValue T>
MadeBatch<T> make_on(Device device, BatchShape shape, std::span<const T> values, bool keep) {
  if (device == cpu_device) return cpu::make_batch<T>(std::move(shape), values, keep);
  const simt::DeviceScope scope(device);
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator)
    return emulated::make_batch<T>(std::move(shape), values, keep);
#endif
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return cuda::make_batch<T>(std::move(shape), values, keep);
#endif
  throw NoResource("no batches on " + device.name());
}

void check_size(std::int64_t entries) {
  if (entries > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(
        fmt::format("{} nonzeros are too many for a matrix of a batch: make a plan", entries));
}

template <class Body>
auto of_matrix(std::int64_t i, Body&& body) {
  try {
    return body();
  } catch (const InvalidArgument& e) {
    throw InvalidArgument(fmt::format("matrix {} of a batch: {}", i, e.what()));
  }
}

// A structure where the host can read it, looked at unless it is trusted. Its values may be
// anything.
template <RealValue T, Offset O>
class HostStructure {
 public:
  HostStructure(Device device, const CsrView<T, O>& a, Input input) : view_(a) {
    T any{};
    view_.values = &any;  // there is no look at values
    if (input == Input::checked) check_view(view_);
    if (device != cpu_device && simt::backend(device).owns(a.offsets)) fetch(device, input);
    if (input == Input::checked) inspect(view_);
    view_.values = nullptr;
    check_size(static_cast<std::int64_t>(view_.nnz));
  }
  HostStructure(const HostStructure&) = delete;
  HostStructure& operator=(const HostStructure&) = delete;
  const CsrView<T, O>& view() const { return view_; }

 private:
  void fetch(Device device, Input input) {
    offsets_ = Array<O>(static_cast<std::size_t>(view_.rows) + 1);
    detail::device_copy(device, offsets_.data(), view_.offsets, offsets_.size() * sizeof(O), {});
    view_.offsets = offsets_.data();
    if (input == Input::checked)  // what is read of the columns depends on it
      check_ends(view_.rows, offsets_[0], offsets_.back(), static_cast<std::int64_t>(view_.nnz));
    const auto nnz = static_cast<std::size_t>(view_.nnz);
    if (nnz == 0) return;
    if (!simt::backend(device).owns(view_.columns))
      throw InvalidArgument("offsets and columns of a matrix lie in different memories");
    columns_ = Array<index_t>(nnz);
    // A slice's columns are those behind its first offset.
    const index_t* const from = view_.columns + offsets_[0];
    detail::device_copy(device, columns_.data(), from, nnz * sizeof(index_t), {});
    const O first = offsets_[0];
    for (O& o : offsets_) o -= first;
    view_.columns = columns_.data();
  }

  CsrView<T, O> view_;
  Array<O> offsets_;
  Array<index_t> columns_;
};

template <RealValue T>
std::unique_ptr<typename Batch<T>::State> new_state(const BatchOptions& options) {
  if (!options.op.n && !options.op.t) throw InvalidArgument("a batch for neither N nor T");
  auto state = std::make_unique<typename Batch<T>::State>();
  if (options.device != cpu_device) simt::backend(options.device);  // says why it is not there
  state->device = options.device;
  state->threads = nz::threads();
  state->op = options.op;
  return state;
}

void check_total(std::int64_t matrices, std::int64_t each) {
  if (each > 0 && matrices > most_elements / each)
    throw InvalidArgument(fmt::format("a batch of {} matrices of {}", matrices, each));
}

template <RealValue T, Offset O>
Batch<T> one_structure(const CsrView<T, O>& given, std::int64_t matrices, std::span<const T> values,
                       const BatchOptions& options) {
  auto state = new_state<T>(options);
  if (matrices < 0) throw InvalidArgument(fmt::format("a batch of {} matrices", matrices));
  const HostStructure<T, O> here(options.device, given, options.input);
  const CsrView<T, O>& a = here.view();
  const std::int64_t nnz = a.nnz;
  check_total(matrices, std::max({nnz, std::int64_t{a.rows}, std::int64_t{a.cols}}));
  if (std::ssize(values) != matrices * nnz)
    throw InvalidArgument(fmt::format("{} values for {} matrices of {} nonzeros, {} are needed",
                                      values.size(), matrices, nnz, matrices * nnz));
  state->matrices = matrices;
  state->one_structure = true;
  state->rows = a.rows;
  state->cols = a.cols;
  state->values = matrices * nnz;
  const std::int64_t work = std::max<std::int64_t>(1, nnz + std::max(a.rows, a.cols));
  const std::int64_t copies = std::clamp<std::int64_t>(tiles_of_pattern * batch_tile_size / work, 1,
                                                       std::max<std::int64_t>(1, matrices));
  BatchShape shape;
  const auto make = [&](Op op) {
    BatchTilesBuilder builder(op);
    builder.expect(copies * (op == Op::none ? a.rows : a.cols), copies * nnz);
    for (std::int64_t i = 0; i < copies; ++i) builder.add(a);
    return builder.take();
  };
  if (options.op.n) shape.n = make(Op::none);
  if (options.op.t) shape.t = make(Op::transpose);
  shape.repeats = (matrices + copies - 1) / copies;
  shape.pattern_rows = copies * a.rows;
  shape.pattern_cols = copies * a.cols;
  shape.pattern_entries = copies * nnz;
  shape.rows = matrices * a.rows;
  shape.cols = matrices * a.cols;
  shape.entries = state->values;
  const bool there = options.device == cpu_device ||
                     (!values.empty() && simt::backend(options.device).owns(values.data()));
  state->made = make_on<T>(options.device, std::move(shape), values, there);
  return Batch<T>(std::move(state));
}

template <RealValue T, Offset O>
Batch<T> many_structures(std::span<const CsrView<T, O>> given, const BatchOptions& options) {
  auto state = new_state<T>(options);
  state->matrices = std::ssize(given);
  state->row_offsets = state->col_offsets = {0};
  std::int64_t rows = 0, cols = 0, entries = 0;
  for (std::int64_t i = 0; i < state->matrices; ++i) {
    const CsrView<T, O>& a = given[static_cast<std::size_t>(i)];
    of_matrix(i, [&] {
      if (options.input == Input::checked) check_view(a);
      check_size(static_cast<std::int64_t>(a.nnz));
    });
    rows += a.rows;
    cols += a.cols;
    entries += static_cast<std::int64_t>(a.nnz);
    check_total(1, std::max({rows, cols, entries}));
    state->row_offsets.push_back(rows);
    state->col_offsets.push_back(cols);
  }
  BatchTilesBuilder n(Op::none), t(Op::transpose);
  if (options.op.n) n.expect(rows, entries);
  if (options.op.t) t.expect(cols, entries);
  Array<T> values(static_cast<std::size_t>(entries));
  std::int64_t filled = 0;
  for (std::int64_t i = 0; i < state->matrices; ++i)
    of_matrix(i, [&] {
      const CsrView<T, O>& a = given[static_cast<std::size_t>(i)];
      const HostStructure<T, O> here(options.device, a, options.input);
      if (options.op.n) n.add(here.view());
      if (options.op.t) t.add(here.view());
      if (a.nnz == 0) return;
      T* const to = values.data() + filled;
      filled += static_cast<std::int64_t>(a.nnz);
      const auto count = static_cast<std::size_t>(a.nnz);
      if (options.device != cpu_device && simt::backend(options.device).owns(a.offsets)) {
        if (!simt::backend(options.device).owns(a.values))
          throw InvalidArgument(
              "offsets, columns and values of a matrix lie in different memories");
        O first = 0;
        detail::device_copy(options.device, &first, a.offsets, sizeof first, {});
        detail::device_copy(options.device, to, a.values + first, count * sizeof(T), {});
      } else {
        std::copy_n(a.values + a.offsets[0], count, to);
      }
    });
  state->values = entries;
  BatchShape shape;
  shape.n = n.take();
  shape.t = t.take();
  shape.repeats = 1;
  shape.pattern_rows = shape.rows = rows;
  shape.pattern_cols = shape.cols = cols;
  shape.pattern_entries = shape.entries = entries;
  state->made = make_on<T>(options.device, std::move(shape), std::span<const T>(values), false);
  return Batch<T>(std::move(state));
}

}  // namespace

template <RealValue T>
Batch<T>::Batch() noexcept = default;
template <RealValue T>
Batch<T>::Batch(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <RealValue T>
Batch<T>::Batch(Batch&&) noexcept = default;
template <RealValue T>
Batch<T>& Batch<T>::operator=(Batch&&) noexcept = default;
template <RealValue T>
Batch<T>::~Batch() = default;

template <RealValue T>
void Batch<T>::multiply_batch(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                              StreamView stream) const {
  const State& s = *state_;
  if (!s.op.has(op))
    throw InvalidArgument(fmt::format("the batch was not made for op = {}", name(op)));
  op = op_for<T>(op);
  if (std::ssize(x) != x_size(op))
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), x_size(op)));
  if (std::ssize(y) != y_size(op))
    throw InvalidArgument(fmt::format("y has {} elements, needs {}", y.size(), y_size(op)));
  if (meet<T>(x.data(), std::ssize(x), y.data(), std::ssize(y)))
    throw InvalidArgument("x and y overlap");
  or_no_memory("a multiply of a batch",
               [&] { s.made.product->multiply_on(stream, op, alpha, x, beta, y); });
}

template <RealValue T>
void Batch<T>::update_values(std::span<const T> values) {
  State& s = *state_;
  if (!s.one_structure)
    throw InvalidArgument("new values are for batches of one structure: make this one again");
  if (std::ssize(values) != s.values)
    throw InvalidArgument(fmt::format("{} values, {} are needed", values.size(), s.values));
  if (s.device == cpu_device) return s.made.set_values(values);
  if (reads_in_place() && !values.empty() && !simt::backend(s.device).owns(values.data()))
    throw InvalidArgument(
        fmt::format("the batch reads its values in the memory of {}: new ones "
                    "must lie there, too",
                    s.device.name()));
  or_no_memory("new values of a batch", [&] {
    const simt::DeviceScope scope(s.device);
    s.made.set_values(values);
  });
}

template <RealValue T>
std::int64_t Batch<T>::matrices() const {
  return state_->matrices;
}
template <RealValue T>
index_t Batch<T>::rows(std::int64_t matrix) const {
  state_->check(matrix, state_->matrices - 1);
  return static_cast<index_t>(state_->offset(true, matrix + 1) - state_->offset(true, matrix));
}
template <RealValue T>
index_t Batch<T>::cols(std::int64_t matrix) const {
  state_->check(matrix, state_->matrices - 1);
  return static_cast<index_t>(state_->offset(false, matrix + 1) - state_->offset(false, matrix));
}
template <RealValue T>
std::int64_t Batch<T>::x_offset(std::int64_t matrix, Op op) const {
  state_->check(matrix, state_->matrices);
  return state_->offset(is_transposed(op), matrix);
}
template <RealValue T>
std::int64_t Batch<T>::y_offset(std::int64_t matrix, Op op) const {
  state_->check(matrix, state_->matrices);
  return state_->offset(!is_transposed(op), matrix);
}
template <RealValue T>
std::int64_t Batch<T>::x_size(Op op) const {
  return x_offset(matrices(), op);
}
template <RealValue T>
std::int64_t Batch<T>::y_size(Op op) const {
  return y_offset(matrices(), op);
}
template <RealValue T>
bool Batch<T>::supports(Op op) const {
  return state_->op.has(op);
}
template <RealValue T>
bool Batch<T>::reads_in_place() const {
  return product().borrows();
}
template <RealValue T>
Device Batch<T>::device() const {
  return state_->device;
}
template <RealValue T>
int Batch<T>::threads() const {
  return state_->threads;
}
template <RealValue T>
std::size_t Batch<T>::bytes() const {
  const State& s = *state_;
  return product().bytes() + (s.row_offsets.size() + s.col_offsets.size()) * sizeof(std::int64_t);
}
template <RealValue T>
const Product<T>& Batch<T>::product() const {
  return *state_->made.product;
}

template <RealValue T, Offset O>
Batch<T> plan_batch(const CsrView<T, O>& structure, std::int64_t matrices,
                    std::span<const std::type_identity_t<T>> values, const BatchOptions& options) {
  return or_no_memory("making a batch", [&] {
    const ThreadScope scope(options.threads.value_or(nz::threads()));
    return one_structure<T, O>(structure, matrices, values, options);
  });
}

template <RealValue T, Offset O>
Batch<T> plan_batch(std::span<const CsrView<T, O>> matrices, const BatchOptions& options) {
  return or_no_memory("making a batch", [&] {
    const ThreadScope scope(options.threads.value_or(nz::threads()));
    return many_structures<T, O>(matrices, options);
  });
}

#define NZ_INSTANTIATE(T, O)                                                           \
  template Batch<T> plan_batch(const CsrView<T, O>&, std::int64_t, std::span<const T>, \
                               const BatchOptions&);                                   \
  template Batch<T> plan_batch(std::span<const CsrView<T, O>>, const BatchOptions&);
#define NZ_INSTANTIATE_CLASS(T) template class Batch<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
