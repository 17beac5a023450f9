#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/linear_operator.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "base/parallel.hpp"
#include "solve/operator_inside.hpp"
#include "solve/operator_room.hpp"

// Operators made of operators. Each product is one of every part, with alpha and beta where they
// belong, so that most need no vector of their own.
namespace nz {
namespace {

constexpr Op other(Op op) { return op == Op::none ? Op::transpose : Op::none; }
constexpr Use both(Use a, Use b) { return {a.n && b.n, a.t && b.t}; }
constexpr Use turned_use(Use a) { return {a.t, a.n}; }

std::string shape(const OperatorInfo& a) { return fmt::format("{} x {}", a.rows, a.cols); }

// What `part` leaves of what `info` can do.
void join(OperatorInfo& info, const OperatorInfo& part) {
  if (info.device != part.device)
    throw InvalidArgument(
        fmt::format("{} is on {}, {} on {}: operators that are put together are "
                    "on one device",
                    info.name, info.device.name(), part.name, part.device.name()));
  info.threads = std::max(info.threads, part.threads);
  info.ops = both(info.ops, part.ops);
  info.repeats = both(info.repeats, part.repeats);
  info.captures &= part.captures;
}

void need_products(const OperatorInfo& info) {
  if (!info.ops.n && !info.ops.t)
    throw InvalidArgument(
        fmt::format("{} has no product: its parts have none in common", info.name));
}

template <RealValue T>
void apply(const LinearOperator<T>& a, T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
           StreamView stream) {
  a.inside()->apply(alpha, x, beta, y, op, stream);
}

// The sum of factors times operators, and of a factor times the identity.
template <RealValue T>
class Combination final : public OperatorInside<T> {
 public:
  Combination(OperatorInfo about, std::vector<detail::Term<T>> terms, double of_identity)
      : OperatorInside<T>(std::move(about)),
        terms_(std::move(terms)),
        of_identity_(static_cast<T>(of_identity)),
        room_(this->info.device, this->info.threads) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    T keep = beta;
    for (const auto& [factor, a] : terms_) {
      nz::apply(a, alpha * static_cast<T>(factor), x, keep, y, op, stream);
      keep = T(1);
    }
    if (alpha != T(0) && of_identity_ != T(0))
      room_.use(stream, [&](const auto& v) {
        v.update(y.size(), alpha * of_identity_, x.data(), keep, y.data());
      });
  }
  void apply_several(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                     StreamView stream) const override {
    const bool shifts = alpha != T(0) && of_identity_ != T(0),
               here = this->info.device == cpu_device;
    // Sweeps of a device take elements that follow each other.
    if (shifts && !here && !(x.has_plain_columns() && y.has_plain_columns()))
      return OperatorInside<T>::apply_several(alpha, x, beta, y, op, stream);
    T keep = beta;
    for (const auto& [factor, a] : terms_) {
      a.inside()->apply_several(alpha * static_cast<T>(factor), x, keep, y, op, stream);
      keep = T(1);
    }
    if (!shifts) return;
    const T by = alpha * of_identity_;
    if (here) {
      const ThreadScope threads(this->info.threads);
      return parallel_ranges(y.rows(), [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i)
          for (index_t j = 0; j < y.columns(); ++j) y(i, j) += by * x(i, j);
      });
    }
    room_.use(stream, [&](const auto& v) {
      for (index_t j = 0; j < y.columns(); ++j)
        v.update(static_cast<std::size_t>(y.rows()), by, x.some_columns(j, 1).data(), keep,
                 y.some_columns(j, 1).data());
    });
  }

 private:
  std::vector<detail::Term<T>> terms_;
  T of_identity_;
  OperatorRoom<T> room_;
};

template <RealValue T>
class Multiplication final : public OperatorInside<T> {
 public:
  Multiplication(OperatorInfo about, LinearOperator<T> left, LinearOperator<T> right)
      : OperatorInside<T>(std::move(about)),
        left_(std::move(left)),
        right_(std::move(right)),
        between_(static_cast<std::size_t>(left_.cols())),
        room_(this->info.device, this->info.threads, between_) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    const auto& first = op == Op::none ? right_ : left_;
    const auto& second = op == Op::none ? left_ : right_;
    room_.use(stream, [&](const auto& v) {
      if (alpha == T(0)) return v.update(y.size(), T(0), nullptr, beta, y.data());
      const std::span<T> t(v.temporary(), between_);
      nz::apply(first, T(1), x, T(0), t, op, stream);
      nz::apply(second, alpha, std::span<const T>(t), beta, y, op, stream);
    });
  }

 private:
  LinearOperator<T> left_, right_;
  std::size_t between_;
  OperatorRoom<T> room_;
};

template <RealValue T>
class Turned final : public OperatorInside<T> {
 public:
  Turned(OperatorInfo about, LinearOperator<T> a)
      : OperatorInside<T>(std::move(about)), a_(std::move(a)) {}
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    nz::apply(a_, alpha, x, beta, y, other(op), stream);
  }
  void apply_several(T alpha, DenseView<const T> x, T beta, DenseView<T> y, Op op,
                     StreamView stream) const override {
    a_.inside()->apply_several(alpha, x, beta, y, other(op), stream);
  }
  bool takes_host() const override { return a_.inside()->takes_host(); }

 private:
  LinearOperator<T> a_;
};

// Where the rows or the columns of blocks begin, and where the last one ends.
using Places = std::vector<std::size_t>;

template <RealValue T>
class Blocks final : public OperatorInside<T> {
 public:
  Blocks(OperatorInfo about, std::vector<std::vector<LinearOperator<T>>> blocks, Places down,
         Places across)
      : OperatorInside<T>(std::move(about)),
        blocks_(std::move(blocks)),
        down_(std::move(down)),
        across_(std::move(across)) {}

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op,
             StreamView stream) const override {
    const bool turned = op == Op::transpose;
    const Places &out = turned ? across_ : down_, &in = turned ? down_ : across_;
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      T keep = beta;  // the first block of each row takes it
      for (std::size_t j = 0; j + 1 < in.size(); ++j) {
        const LinearOperator<T>& block = turned ? blocks_[j][i] : blocks_[i][j];
        if (!block) continue;
        nz::apply(block, alpha, x.subspan(in[j], in[j + 1] - in[j]), keep,
                  y.subspan(out[i], out[i + 1] - out[i]), op, stream);
        keep = T(1);
      }
    }
  }

 private:
  std::vector<std::vector<LinearOperator<T>>> blocks_;
  Places down_, across_;
};

// As a T, too.
template <RealValue T>
void need_finite(double factor) {
  if (!std::isfinite(static_cast<T>(factor)))
    throw InvalidArgument(
        fmt::format("a factor or shift of an operator is finite, not {}", factor));
}

// The lengths of rows or of columns of blocks, from those that are there: size(i, j) below 0 where
// there is none.
template <class Size>
Places places(std::size_t lines, std::size_t each, const char* what, Size&& size) {
  Places all{0};
  for (std::size_t i = 0; i < lines; ++i) {
    index_t length = -1;
    for (std::size_t j = 0; j < each; ++j) {
      const index_t here = size(i, j);
      if (here >= 0 && length >= 0 && here != length)
        throw InvalidArgument(fmt::format("{} {} of blocks has blocks of {} and of {} {}s", what, i,
                                          length, here, what));
      if (here >= 0) length = here;
    }
    if (length < 0)
      throw InvalidArgument(
          fmt::format("{} {} of blocks has none that says how many {}s it has", what, i, what));
    all.push_back(all.back() + static_cast<std::size_t>(length));
  }
  if (all.back() > 0x7fffffff)
    throw InvalidArgument(fmt::format("blocks with {} {}s: 32 bits count them", all.back(), what));
  return all;
}

}  // namespace

namespace detail {

template <RealValue T>
LinearOperator<T> combined(std::vector<Term<T>> terms, std::optional<double> of_identity,
                           std::string name) try {
  OperatorInfo info = terms.at(0).a.info();
  std::string names = info.name;
  need_finite<T>(of_identity.value_or(0));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    need_finite<T>(terms[i].factor);
    const OperatorInfo& part = terms[i].a.info();
    if (i == 0) continue;
    if (info.rows != part.rows || info.cols != part.cols)
      throw InvalidArgument(fmt::format("{} is {}, {} is {}: a sum has parts of one shape",
                                        info.name, shape(info), part.name, shape(part)));
    join(info, part);
    names += " + " + part.name;
  }
  if (of_identity && info.rows != info.cols)
    throw InvalidArgument(
        fmt::format("{} is {}: only what is square can be shifted", info.name, shape(info)));
  info.name = name.empty() ? names : std::move(name);
  need_products(info);
  return make_operator<T, Combination<T>>(std::move(info), std::move(terms),
                                          of_identity.value_or(0));
}
NZ_OR_NO_MEMORY("a linear operator")

template <RealValue T>
LinearOperator<T> multiplied(LinearOperator<T> left, LinearOperator<T> right,
                             std::string name) try {
  OperatorInfo info = left.info();
  const OperatorInfo& part = right.info();
  if (info.cols != part.rows)
    throw InvalidArgument(
        fmt::format("{} is {}, {} is {}: a product has as many columns on its "
                    "left as rows on its right",
                    info.name, shape(info), part.name, shape(part)));
  join(info, part);
  info.cols = part.cols;
  info.name = name.empty() ? fmt::format("({})({})", info.name, part.name) : std::move(name);
  need_products(info);
  return make_operator<T, Multiplication<T>>(std::move(info), std::move(left), std::move(right));
}
NZ_OR_NO_MEMORY("a linear operator")

template <RealValue T>
LinearOperator<T> turned(LinearOperator<T> a) try {
  OperatorInfo info = a.info();
  std::swap(info.rows, info.cols);
  info.ops = turned_use(info.ops);
  info.repeats = turned_use(info.repeats);
  info.name = "transpose of " + info.name;
  return make_operator<T, Turned<T>>(std::move(info), std::move(a));
}
NZ_OR_NO_MEMORY("a linear operator")

template <RealValue T>
LinearOperator<T> in_blocks(std::vector<std::vector<LinearOperator<T>>> rows) try {
  const std::size_t down = rows.size(), across = rows.empty() ? 0 : rows[0].size();
  if (across == 0) throw InvalidArgument("an operator of blocks has at least one of them");
  OperatorInfo info;
  bool first = true;
  for (std::size_t i = 0; i < down; ++i) {
    if (rows[i].size() != across)
      throw InvalidArgument(
          fmt::format("row {} of blocks has {} of them, row 0 has {}", i, rows[i].size(), across));
    for (const LinearOperator<T>& block : rows[i]) {
      if (!block) continue;
      if (first)
        info = block.info();
      else
        join(info, block.info());
      first = false;
    }
  }
  Places at_row = places(down, across, "row", [&](std::size_t i, std::size_t j) {
    return rows[i][j] ? rows[i][j].rows() : index_t(-1);
  });
  Places at_column = places(across, down, "column", [&](std::size_t j, std::size_t i) {
    return rows[i][j] ? rows[i][j].cols() : index_t(-1);
  });
  info.rows = static_cast<index_t>(at_row.back());
  info.cols = static_cast<index_t>(at_column.back());
  info.name = fmt::format("{} x {} blocks", down, across);
  need_products(info);
  return make_operator<T, Blocks<T>>(std::move(info), std::move(rows), std::move(at_row),
                                     std::move(at_column));
}
NZ_OR_NO_MEMORY("a linear operator")

std::string named(const std::string& name, double shift) {
  return fmt::format("{} shifted by {}", name, shift);
}
std::string named(double factor, const std::string& name) {
  return fmt::format("{} times {}", factor, name);
}

#define NZ_INSTANTIATE(T)                                                                        \
  template LinearOperator<T> combined(std::vector<Term<T>>, std::optional<double>, std::string); \
  template LinearOperator<T> multiplied(LinearOperator<T>, LinearOperator<T>, std::string);      \
  template LinearOperator<T> turned(LinearOperator<T>);                                          \
  template LinearOperator<T> in_blocks(std::vector<std::vector<LinearOperator<T>>>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace detail
}  // namespace nz
