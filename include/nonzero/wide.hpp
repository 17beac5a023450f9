#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <nonzero/export.hpp>
#include <nonzero/formats/wide.hpp>
#include <nonzero/plan.hpp>

namespace NZ_API nz {

// A matrix with more rows or columns than index_t counts, ready to be multiplied. It is cut into
// panels of columns and bands of rows. Where a panel meets a band and there are entries, an
// ordinary plan of its own choice multiplies; rows and columns without entries that lie between
// others are left out of it where they are most, so that memory goes with the entries, not with the
// shape.
//
// Sums are those of an ordinary plan: a row with n entries is within the same bound
// (truth.hpp), (n + 3) u (|alpha| sum |a||x| + |beta||y|) and what belongs to it. An entry in a
// part of m of them takes m roundings for the part's sum, one for alpha, and one for every part of
// the row that is added from then on; each of the k - 1 other parts has an entry at least, so that
// these are m + 1 + k <= n + 2. beta y takes 1 + k.
//
// Threads may share it as they may share a Plan.
template <Value T>
class WidePlan {
 public:
  WidePlan() noexcept;
  struct State;  // the library's own
  explicit WidePlan(std::unique_ptr<State> state);
  WidePlan(WidePlan&&) noexcept;
  WidePlan& operator=(WidePlan&&) noexcept;
  ~WidePlan();

  // y = alpha op(A) x + beta y, with the rules of Plan::multiply(): beta = 0 does not read y,
  // alpha = 0 reads neither A nor x, and an infinite alpha, which waits for whole sums, takes
  // memory for them. Throws InvalidArgument when a length is wrong and when x and y overlap.
  // On a GPU it runs on the stream, and takes memory for the call in the stream's order where rows
  // or columns were left out.
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  std::int64_t rows() const;
  std::int64_t cols() const;
  // Parts with a plan of their own.
  std::size_t parts() const;
  const Plan<T>& part(std::size_t i) const;
  Device device() const;
  // All memory that the plans and their places keep on the device.
  std::size_t bytes() const;
  // What the parts are and which kernels they have, in lines.
  std::string text() const;

 private:
  std::unique_ptr<State> state_;
};

// Each part is planned with these options; memory_limit is that of all together. Throws as plan()
// does; what is wrong with the entries is a BadInput with the first that is. Copies the entries.
template <Value T>
NZ_API WidePlan<T> wide_plan(const WideCooView<T>& a, const PlanOptions& options = {});
template <Value T>
NZ_API WidePlan<T> wide_plan(const WideCsr<T>& a, const PlanOptions& options = {});

}  // namespace nz
