#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/kernel.hpp>
#include <nonzero/plan.hpp>

namespace NZ_API nz {

struct BatchOptions {
  Device device = cpu_device;
  // The products that multiply_batch() will be asked for; others it refuses. Each has lists of its
  // own, which for many different matrices take about as much memory as the structure does.
  Use op = both_ops;
  // The threads of every multiply; empty: as many as nz::threads() says now.
  std::optional<int> threads{};
  // Of the structure that the batch is made from. Rows may be in any order of columns, and columns
  // may be named twice.
  Input input = Input::checked;
};

// Many small matrices that are multiplied at once, each by a vector of its own: made by
// plan_batch(), used often. Vectors lie one behind the other in the order of the matrices, without
// gaps; on a GPU it is one launch. Rules are those of a plan: it can be moved, not copied, several
// threads may multiply with it, and what changes it must be alone and come after queued work. Both
// products give the same bits whenever they are repeated.
template <RealValue T>
class Batch {
 public:
  Batch() noexcept;
  // What it consists of is the library's own: only plan_batch() makes one.
  struct State;
  explicit Batch(std::unique_ptr<State> state);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  // y_i = alpha op(A_i) x_i + beta y_i for every matrix. Scalars, streams, graphs and host memory
  // are as with Plan::multiply. Throws InvalidArgument when a length is wrong, when x and y
  // overlap, or for an op that the batch was not made for.
  void multiply_batch(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op = Op::none,
                      StreamView stream = {}) const;

  // Other values for matrices of one structure, as many as before and in the same order. Where the
  // batch borrows values it borrows these; where it has copied them, it copies these. Throws
  // InvalidArgument for another number of them, and for a batch of different structures.
  void update_values(std::span<const T> values);

  std::int64_t matrices() const;
  index_t rows(std::int64_t matrix) const;
  index_t cols(std::int64_t matrix) const;
  // Of all vectors together.
  std::int64_t x_size(Op op = Op::none) const;
  std::int64_t y_size(Op op = Op::none) const;
  // Where the vectors of a matrix begin; its number may be matrices(), which is the end.
  std::int64_t x_offset(std::int64_t matrix, Op op = Op::none) const;
  std::int64_t y_offset(std::int64_t matrix, Op op = Op::none) const;

  bool supports(Op op) const;
  // It reads the values where the caller has them: new ones in place reach it.
  bool reads_in_place() const;
  Device device() const;
  int threads() const;
  // All memory that the batch keeps on its device.
  std::size_t bytes() const;
  // The product of the whole batch, with its byte model, bind() and epilogues.
  const Product<T>& product() const;

 private:
  std::unique_ptr<State> state_;
};

// So many matrices of one structure: `values` has nnz of each, those of one matrix behind those of
// another, each in the order of the structure's columns. The structure's own values are not read.
// It is copied; the values are borrowed where they lie in the memory of the batch's device (on the
// CPU: in the host's), and copied otherwise. Throws as plan() does, and for a wrong number of
// values.
template <RealValue T, Offset O>
NZ_API Batch<T> plan_batch(const CsrView<T, O>& structure, std::int64_t matrices,
                           std::span<const std::type_identity_t<T>> values,
                           const BatchOptions& options = {});

// Matrices of any shapes, each in host memory or in the device's. All is copied.
template <RealValue T, Offset O>
NZ_API Batch<T> plan_batch(std::span<const CsrView<T, O>> matrices,
                           const BatchOptions& options = {});
template <RealValue T, Offset O>
Batch<T> plan_batch(const std::vector<CsrView<T, O>>& matrices, const BatchOptions& options = {}) {
  return plan_batch(std::span<const CsrView<T, O>>(matrices), options);
}

}  // namespace nz
