#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nonzero/export.hpp>
#include <nonzero/plan.hpp>

// What solvers multiply by: a plan, a function or class of one's own, or several of them put
// together without forming a matrix.
namespace NZ_API nz {

// What an operator tells of itself.
struct OperatorInfo {
  index_t rows = 0, cols = 0;
  std::string name = "a linear operator";  // for messages
  Use ops{};                               // the products that there are
  Device device{};                         // where it works, and where x and y lie
  int threads = 0;                         // of a solver's work on vectors; 0: nz::threads()
  // The products that give the same bits whenever they are repeated.
  Use repeats = both_ops;
  // On a CUDA device: whatever a product does is queued on its stream and may be captured in a
  // graph, which then runs without the host. Where not, solvers launch every iteration anew.
  bool captures = false;
};

// A class of one's own. multiply() is y = alpha op(A) x + beta y with the rules of a plan's:
// beta = 0 does not read y, alpha = 0 does not read x. Several threads may call it. It may also
// have device(), threads(), supports(op), repeats(op), captures() and name(), with the meanings of
// OperatorInfo.
template <class C, class T>
concept OperatorClass = std::move_constructible<C> &&
    requires(const C& c, T scalar, std::span<const T> x, std::span<T> y, StreamView stream) {
  { c.rows() } -> std::convertible_to<index_t>;
  { c.cols() } -> std::convertible_to<index_t>;
  c.multiply(scalar, x, scalar, y, Op::none, stream);
};

// A function of one's own, with as much as it wants to know: f(x, y), f(x, y, op) or
// f(x, y, op, stream) for y = op(A) x, or f(alpha, x, beta, y, op, stream). Several threads may
// call it. On a GPU x and y are device memory, the device is current, and work goes to the stream.
template <class F, class T>
concept OperatorFunction = std::invocable<const F&, std::span<const T>, std::span<T>> ||
    std::invocable<const F&, std::span<const T>, std::span<T>, Op> ||
    std::invocable<const F&, std::span<const T>, std::span<T>, Op, StreamView> ||
    std::invocable<const F&, T, std::span<const T>, T, std::span<T>, Op, StreamView>;

template <RealValue T>
class LinearOperator;
template <RealValue T>
class WidePlan;  // nonzero/wide.hpp

namespace detail {

// y = op(A) x, and the whole product.
template <RealValue T>
using Applied = std::function<void(std::span<const T>, std::span<T>, Op, StreamView)>;
template <RealValue T>
using Multiplied = std::function<void(T, std::span<const T>, T, std::span<T>, Op, StreamView)>;

// The function of somebody else. Throws InvalidArgument for a negative length.
template <RealValue T>
NZ_API LinearOperator<T> called(OperatorInfo info, Applied<T> f);
template <RealValue T>
NZ_API LinearOperator<T> called(OperatorInfo info, Multiplied<T> f);
[[noreturn]] void throw_never_transposes(const std::string& name);

template <class C>
OperatorInfo info_of(const C& own) {
  OperatorInfo info{.rows = own.rows(), .cols = own.cols()};
  if constexpr (requires { own.device(); }) info.device = own.device();
  if constexpr (requires { own.threads(); }) info.threads = own.threads();
  if constexpr (requires { own.supports(Op::none); })
    info.ops = {own.supports(Op::none), own.supports(Op::transpose)};
  if constexpr (requires { own.repeats(Op::none); })
    info.repeats = {own.repeats(Op::none), own.repeats(Op::transpose)};
  if constexpr (requires { own.captures(); }) info.captures = own.captures();
  if constexpr (requires { own.name(); }) info.name = own.name();
  return info;
}

template <class C, class T>
concept OwnOperator = !std::same_as<C, Plan<T>> && !std::same_as<C, WidePlan<T>> &&
                      !std::same_as<C, LinearOperator<T>> && OperatorClass<C, T>;
template <class C>
concept TypedOperator = OperatorClass<C, typename C::value_type>;

}  // namespace detail

// An operator on vectors of real numbers, as solvers take it. Copies share it; several threads may
// multiply with it, each into a y of its own, where its parts allow that: plans do. What it needs
// beside x and y is its own, a piece for each call on the CPU, for each stream and each captured
// graph on a GPU.
template <RealValue T>
class LinearOperator {
 public:
  using value_type = T;
  struct Inside;

  LinearOperator() noexcept = default;  // none; among blocks it stands for zeros
  LinearOperator(const Plan<T>& plan);  // borrowed: the plan stays longer
  LinearOperator(Plan<T>&& plan);
  LinearOperator(std::shared_ptr<const Plan<T>> plan);
  // Of a wide matrix, as above. Throws InvalidArgument where it has more rows or columns than
  // index_t counts: the vectors of solvers have no more.
  LinearOperator(const WidePlan<T>& plan);
  LinearOperator(WidePlan<T>&& plan);
  LinearOperator(std::shared_ptr<const WidePlan<T>> plan);
  template <detail::OwnOperator<T> C>
  explicit LinearOperator(C own) {
    OperatorInfo about = detail::info_of(own);
    const auto shared = std::make_shared<const C>(std::move(own));
    *this = detail::called<T>(
        std::move(about), detail::Multiplied<T>([shared](T alpha, std::span<const T> x, T beta,
                                                         std::span<T> y, Op op, StreamView stream) {
          shared->multiply(alpha, x, beta, y, op, stream);
        }));
  }
  explicit LinearOperator(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

  explicit operator bool() const { return inside_ != nullptr; }
  // Throws InvalidArgument where there is none, as all below do.
  const OperatorInfo& info() const;
  index_t rows() const { return info().rows; }
  index_t cols() const { return info().cols; }
  Device device() const { return info().device; }
  int threads() const { return info().threads; }
  bool supports(Op op) const { return info().ops.has(op); }
  bool repeats(Op op) const { return info().repeats.has(op); }
  bool captures() const { return info().captures; }
  const std::string& name() const { return info().name; }

  // y = alpha op(A) x + beta y; the conjugate transpose is the transpose. Throws InvalidArgument
  // when a length is wrong, when x and y overlap, or when there is no such product. On a GPU it is
  // queued on the stream; x and y in host memory are copied there and back, which is slow.
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op = Op::none,
                StreamView stream = {}) const;
  // Y = alpha op(A) X + beta Y for several vectors, the columns of X and Y. Plans, and what
  // shifted(), scaled(), sum() and transposed() make of them, read their matrix once for many;
  // other operators are asked for one column after the other. Throws as above, and for columns
  // whose elements do not follow each other on the device of an operator that takes them one by
  // one.
  void multiply(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  const Inside* inside() const { return inside_.get(); }

 private:
  std::shared_ptr<const Inside> inside_;
};

template <RealValue T>
LinearOperator(std::shared_ptr<Plan<T>>) -> LinearOperator<T>;
template <RealValue T>
LinearOperator(std::shared_ptr<WidePlan<T>>) -> LinearOperator<T>;
template <detail::TypedOperator C>
LinearOperator(C) -> LinearOperator<typename C::value_type>;

// What an operator is made of by itself: a plan, a shared plan, one of a wide matrix, a class with
// value_type, another operator.
template <class A>
concept OperatorLike = requires(A&& a) {
  LinearOperator(std::forward<A>(a));
};

namespace detail {

// factor A.
template <RealValue T>
struct Term {
  double factor = 1;
  LinearOperator<T> a{};
};
template <RealValue T>
NZ_API LinearOperator<T> combined(std::vector<Term<T>> terms, std::optional<double> of_identity,
                                  std::string name);
template <RealValue T>
NZ_API LinearOperator<T> multiplied(LinearOperator<T> left, LinearOperator<T> right,
                                    std::string name);
template <RealValue T>
NZ_API LinearOperator<T> turned(LinearOperator<T> a);
template <RealValue T>
NZ_API LinearOperator<T> in_blocks(std::vector<std::vector<LinearOperator<T>>> rows);

std::string named(const std::string& name, double shift);
std::string named(double factor, const std::string& name);

}  // namespace detail

// An operator of a function of one's own. Throws InvalidArgument where info.ops has the transposed
// product and the function is not told op.
template <RealValue T, OperatorFunction<T> F>
LinearOperator<T> matrix_free(OperatorInfo info, F f) {
  if constexpr (std::invocable<const F&, T, std::span<const T>, T, std::span<T>, Op, StreamView>) {
    return detail::called<T>(std::move(info), detail::Multiplied<T>(std::move(f)));
  } else if constexpr (std::invocable<const F&, std::span<const T>, std::span<T>, Op, StreamView>) {
    return detail::called<T>(std::move(info), detail::Applied<T>(std::move(f)));
  } else if constexpr (std::invocable<const F&, std::span<const T>, std::span<T>, Op>) {
    return detail::called<T>(
        std::move(info),
        detail::Applied<T>([f = std::move(f)](std::span<const T> x, std::span<T> y, Op op,
                                              StreamView) { f(x, y, op); }));
  } else {
    if (info.ops.t) detail::throw_never_transposes(info.name);
    return detail::called<T>(
        std::move(info), detail::Applied<T>([f = std::move(f)](std::span<const T> x, std::span<T> y,
                                                               Op, StreamView) { f(x, y); }));
  }
}

// The functions below put operators together; what they take is whatever LinearOperator() takes.
// All parts are on one device, and a product is there where all parts have theirs. A product takes
// one of each part, with alpha and beta where they belong; a vector of its own has A B alone. They
// throw InvalidArgument for shapes and devices that do not fit, and for factors that are not
// finite.

// The identity: y = alpha x + beta y.
template <RealValue T>
NZ_API LinearOperator<T> identity(index_t n, Device device = cpu_device, int threads = 0);

// A - shift I, of a square A.
template <OperatorLike A>
auto shifted(A&& a, double shift) {
  LinearOperator part(std::forward<A>(a));
  using T = typename decltype(part)::value_type;
  std::string name = detail::named(part.name(), shift);
  return detail::combined<T>({{1, std::move(part)}}, -shift, std::move(name));
}

// factor A.
template <OperatorLike A>
auto scaled(double factor, A&& a) {
  LinearOperator part(std::forward<A>(a));
  using T = typename decltype(part)::value_type;
  std::string name = detail::named(factor, part.name());
  return detail::combined<T>({{factor, std::move(part)}}, {}, std::move(name));
}

// A + B + ...
template <OperatorLike A, OperatorLike... B>
auto sum(A&& a, B&&... b) {
  LinearOperator part(std::forward<A>(a));
  using T = typename decltype(part)::value_type;
  std::vector<detail::Term<T>> terms{{1, std::move(part)},
                                     {1, LinearOperator<T>(std::forward<B>(b))}...};
  return detail::combined<T>(std::move(terms), {}, {});
}

// A B: x is multiplied by B first.
template <OperatorLike A, OperatorLike B>
auto product(A&& a, B&& b) {
  LinearOperator left(std::forward<A>(a));
  using T = typename decltype(left)::value_type;
  return detail::multiplied<T>(std::move(left), LinearOperator<T>(std::forward<B>(b)), {});
}

// The transpose of A.
template <OperatorLike A>
auto transposed(A&& a) {
  LinearOperator part(std::forward<A>(a));
  return detail::turned(std::move(part));
}

// The transpose of A times A, which is symmetric: two products each time, nothing is stored.
template <OperatorLike A>
auto normal(A&& a) {
  LinearOperator part(std::forward<A>(a));
  return detail::multiplied(detail::turned(part), part, "normal equations of " + part.name());
}

// Rows of blocks: blocks<double>({{A, B}, {C, {}}}). An empty one is a block of zeros, but each row
// and each column of blocks has one that says how large it is.
template <RealValue T>
LinearOperator<T> blocks(std::vector<std::vector<LinearOperator<T>>> rows) {
  return detail::in_blocks<T>(std::move(rows));
}

}  // namespace nz
