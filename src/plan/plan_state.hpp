#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include <nonzero/explain.hpp>
#include <nonzero/plan.hpp>

#include "plan/door.hpp"
#include "plan/fingerprint.hpp"

namespace nz {

// A prepared product, and the CSR arrays that it borrows where they are the plan's own.
template <Value T>
struct PlanPart {
  const Kernel* kernel = nullptr;
  Parameters parameters{};
  bool transposed = false;
  std::unique_ptr<Product<T>> product{};
  std::shared_ptr<const void> matrix{};
  std::size_t matrix_bytes = 0;

  std::size_t bytes() const { return product ? product->bytes() + matrix_bytes : 0; }
};

// What a plan consists of.
template <Value T>
struct Plan<T>::State {
  index_t rows = 0;
  index_t cols = 0;
  PlanPart<T> main, second;
  Use promised = both_ops;  // products that may be asked for
  Explanation story;
  LateFingerprint fingerprint;
  // The caller's arrays, where its columns and values are read in place.
  std::array<const void*, 3> borrowed{};
  Input input = Input::checked;
  StoredValues store_values_as = StoredValues::exact;
  int threads = 1;
  int team = 1;  // of those, the ones that a product may wake
  double seconds = 0;

  std::size_t bytes() const { return main.bytes() + second.bytes(); }
  // The part that does op, and by which of its products.
  std::pair<const PlanPart<T>*, Op> part_for(Op op) const {
    op = op_for<T>(op);
    const PlanPart<T>& part = is_transposed(op) && second.product ? second : main;
    return {&part, part.transposed ? of_transpose(op) : op};
  }
  // Whether op gives the same bits again.
  bool repeats(Op op) const {
    const auto [part, inner] = part_for(op);
    return part->kernel->repeats(inner, part->parameters);
  }
  // The same for an op that its kernel has. Throws InvalidArgument for another.
  std::pair<const PlanPart<T>*, Op> able_part_for(Op op) const;
  // The same for one that the plan may be asked for: a deterministic one not for every op.
  std::pair<const PlanPart<T>*, Op> promised_part_for(Op op) const;

  // Chooses, unless there is a kernel, and makes the parts.
  template <Offset O>
  void prepare(const Admitted<T, O>& given, const Kernel* kernel, Device device,
               const PlanOptions& options);
  template <Offset O>
  int team_of(const CsrView<T, O>& a, const Kernel* asked_for, Device device) const;
  template <Offset O>
  void update(const Admitted<T, O>& given, const std::array<const void*, 3>& arrays);
};

}  // namespace nz
