#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace nz {

// A tunable number of a kernel.
struct Parameter {
  std::string_view name;
  std::string_view summary;
  std::int64_t initial = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// Values for a kernel's parameters, by name; complete and in range once resolved.
using Parameters = std::map<std::string, std::int64_t, std::less<>>;

// A matrix prepared for one kernel, on the number of threads that was set then. multiply()
// allocates nothing, but may use scratch memory made before: one multiply at a time.
template <Value T>
class Product {
 public:
  virtual ~Product() = default;

  // y = alpha op(A) x + beta y. Lengths are right and x and y apart: the plan has checked.
  // beta = 0 never reads y; alpha = 0 never reads A or x.
  virtual void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const = 0;

  // What it holds beyond the CSR arrays it was prepared from.
  virtual std::size_t bytes() const = 0;

  // Whether it reads those CSR arrays in place, so that they must outlive it.
  virtual bool borrows() const = 0;

  // The byte model: what one multiply must move at least, each array once.
  virtual std::size_t traffic(Op op, bool reads_y) const = 0;
};

template <Value T, Offset O>
using Prepare = std::unique_ptr<Product<T>> (*)(const CsrView<T, O>& a, const Parameters& p);

// One `prepare` for each type a kernel can take, null where it cannot.
using PrepareTable = std::tuple<Prepare<float, std::int32_t>, Prepare<float, std::int64_t>,
                                Prepare<double, std::int32_t>, Prepare<double, std::int64_t>>;

// The matrix with the zeros that a format fills in as stored entries. A kernel that multiplies
// such zeros turns an infinite x into NaN where plain CSR would not; the check must know.
using WithFill = Csr<double, std::int64_t> (*)(const CsrView<double, std::int64_t>& a,
                                               const Parameters& p);

// A registry entry: all that is known of a kernel, in one place.
struct Kernel {
  std::string_view device;     // "cpu", "gpu", "peer"
  std::string_view format;     // "csr"
  std::string_view strategy;   // "serial"
  bool transposes = false;     // can also do op = T
  bool deterministic = false;  // the same bits again on the same number of threads
  bool threaded = false;       // uses more than one thread
  std::string_view source;     // "chirila2025 §6.2.2", or "own"
  std::string_view summary;
  std::vector<Parameter> parameters{};
  PrepareTable prepare{};
  WithFill with_fill = nullptr;

  std::string id() const {
    return std::string(device) + '/' + std::string(format) + '/' + std::string(strategy);
  }
  bool supports(Op op) const { return op == Op::none || transposes; }
  bool supports(ValueType t) const {
    return t == ValueType::f32 ? std::get<0>(prepare) || std::get<1>(prepare)
                               : std::get<2>(prepare) || std::get<3>(prepare);
  }

  // `wanted` completed with the initial values. Throws InvalidArgument for a name the kernel does
  // not have or a value out of range.
  Parameters resolve(const Parameters& wanted) const;
};

}  // namespace nz
