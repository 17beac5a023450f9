#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nonzero/kernel.hpp>
#include <nonzero/truth.hpp>

namespace nz::lab {

// One product to check: y = alpha op(A) x + beta y.
struct Case {
  Op op = Op::none;
  double alpha = 1;
  double beta = 0;
};

// Runs the product on random x and y, y poisoned with NaN when beta = 0, and judges every row
// against the matrix `a` that it was prepared from; `shared_rounding` as the kernel's entry has it.
template <Value T, Offset O>
Verdict verify(const Product<T>& product, const CsrView<T, O>& a, const Case& c,
               int shared_rounding = 0, std::uint64_t seed = 1);

// How a kernel fares on a matrix, in one value type and one op, over all alpha and beta.
struct Conformance {
  enum class Outcome { right, wrong, refused, unsupported, no_resource };
  const Kernel* kernel = nullptr;
  ValueType type = ValueType::f64;
  Op op = Op::none;
  Outcome outcome = Outcome::right;
  std::string reason;  // why refused or without a resource; the first wrong row
  Case first_wrong{};  // where wrong
  int products = 0;    // checked
  double worst = 0;    // largest error as a share of its bound
  std::int64_t unjudged = 0;
  Facts facts{};  // of the prepared matrix
};

std::string_view name(Conformance::Outcome o);

// alpha and beta of the check: each in {0, 1, -0.5}.
std::span<const std::pair<double, double>> checked_scalars();

// One entry an op, prepared once for both.
template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, const CsrView<T, O>& a,
                                     Device device = cpu_device);

}  // namespace nz::lab
