#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <nonzero/error.hpp>
#include <nonzero/linear_operator.hpp>

#include "base/no_memory.hpp"

namespace nz {

// What an operator consists of: products of plans, functions of others, or other operators.
template <RealValue T>
struct LinearOperator<T>::Inside {
  explicit Inside(OperatorInfo about) : info(std::move(about)) {}
  virtual ~Inside() = default;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  // y = alpha op(A) x + beta y, where the lengths are right, x and y are apart and on the device,
  // and op is one of info.ops.
  virtual void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                     StreamView stream) const = 0;
  // The same for several vectors, of as many columns in X as in Y; here one by one.
  virtual void apply_several(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                             StreamView stream) const {
    one_by_one(alpha, x, beta, y, [&](std::span<const T> from, std::span<T> to) {
      apply(alpha, from, beta, to, op, stream);
    });
  }
  // The same with an epilogue, where op makes y and ends it in one pass.
  virtual bool fuses(Op) const { return false; }
  virtual void apply_ended(T, std::span<const T>, T, std::span<T>, const Epilogue<T>&, Op,
                           StreamView) const {
    throw Error(info.name + " has no product with an epilogue");
  }
  // Whether x and y may lie in host memory all the same.
  virtual bool takes_host() const { return info.device == cpu_device; }
  virtual bool is_plan() const { return false; }

  // each(x, y) for every column; on the CPU also where their elements are apart.
  template <class Each>
  void one_by_one(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Each&& each) const {
    const auto in = static_cast<std::size_t>(x.rows()), out = static_cast<std::size_t>(y.rows());
    const bool plain = x.has_plain_columns() && y.has_plain_columns();
    if (!plain && info.device != cpu_device)
      throw InvalidArgument(info.name + " multiplies several vectors one by one, and so on " +
                            info.device.name() + " takes them column by column only");
    std::vector<T> from(plain ? 0 : in), to(plain ? 0 : out);
    for (index_t j = 0; j < y.columns(); ++j) {
      if (plain) {
        each(std::span<const T>(x.some_columns(j, 1).data(), in),
             std::span<T>(y.some_columns(j, 1).data(), out));
        continue;
      }
      if (alpha != T(0))
        for (index_t i = 0; i < x.rows(); ++i) from[static_cast<std::size_t>(i)] = x(i, j);
      if (beta != T(0))
        for (index_t i = 0; i < y.rows(); ++i) to[static_cast<std::size_t>(i)] = y(i, j);
      each(std::span<const T>(from), std::span<T>(to));
      for (index_t i = 0; i < y.rows(); ++i) y(i, j) = to[static_cast<std::size_t>(i)];
    }
  }

  const OperatorInfo info;
};

template <RealValue T>
using OperatorInside = typename LinearOperator<T>::Inside;

// An operator of that kind.
template <RealValue T, class Kind, class... Arguments>
LinearOperator<T> make_operator(Arguments&&... arguments) {
  return or_no_memory("a linear operator", [&] {
    return LinearOperator<T>(std::shared_ptr<const OperatorInside<T>>(
        std::make_shared<Kind>(std::forward<Arguments>(arguments)...)));
  });
}

}  // namespace nz
