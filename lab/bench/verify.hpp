#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include <nonzero/kernel.hpp>
#include <nonzero/truth.hpp>

namespace nz::lab {

// One product to check: y = alpha op(A) x + beta y.
struct Case {
  Op op = Op::none;
  double alpha = 1;
  double beta = 0;
  friend bool operator==(const Case&, const Case&) = default;
};

// Judges products of one matrix with random x and y, y poisoned with NaN when beta = 0. The exact
// products are the same for every kernel: they are kept while all of them take little memory, which
// is far quicker than making them again.
template <Value T, Offset O>
class Judge {
 public:
  explicit Judge(const CsrView<T, O>& a, std::size_t most_bytes = std::size_t{64} << 20);
  const CsrView<T, O>& matrix() const { return a_; }
  // Runs the product and judges every row; `shared_rounding` as the kernel's entry has it.
  Verdict verify(const Product<T>& product, const Case& c, int shared_rounding = 0);

 private:
  CsrView<T, O> a_;
  std::size_t room_;  // bytes left
  std::list<std::pair<Case, Reference<T>>> kept_;
};

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

// What one product of the check was found to be.
struct Finding {
  bool right = true;
  std::string message;  // of what is wrong
  double worst = 0;
  std::int64_t unjudged = 0;
};
template <Value T>
using Look = std::function<Finding(const Product<T>&, const Case&)>;

// alpha and beta of the check: each in {0, 1, -0.5}.
std::span<const std::pair<double, double>> checked_scalars();

// One entry an op, prepared once for both.
template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, Judge<T, O>& judge,
                                     Device device = cpu_device);
// The same with the products looked at by another.
template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, const CsrView<T, O>& a,
                                     const Parameters& parameters, Device device,
                                     const Look<T>& look);

}  // namespace nz::lab
