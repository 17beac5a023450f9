#pragma once
#include <memory>
#include <span>
#include <utility>

#include <nonzero/linear_operator.hpp>

#include "base/no_memory.hpp"

namespace nz {

// What an operator consists of: products of plans, functions of others, or other operators.
template <Value T>
struct LinearOperator<T>::Inside {
  explicit Inside(OperatorInfo about) : info(std::move(about)) {}
  virtual ~Inside() = default;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  // y = alpha op(A) x + beta y, where the lengths are right, x and y are apart and on the device,
  // and op is one of info.ops.
  virtual void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
                     StreamView stream) const = 0;
  // Whether x and y may lie in host memory all the same.
  virtual bool takes_host() const { return info.device == cpu_device; }
  virtual bool is_plan() const { return false; }

  const OperatorInfo info;
};

template <Value T>
using OperatorInside = typename LinearOperator<T>::Inside;

// An operator of that kind.
template <Value T, class Kind, class... Arguments>
LinearOperator<T> make_operator(Arguments&&... arguments) {
  return or_no_memory("a linear operator", [&] {
    return LinearOperator<T>(std::shared_ptr<const OperatorInside<T>>(
        std::make_shared<Kind>(std::forward<Arguments>(arguments)...)));
  });
}

}  // namespace nz
