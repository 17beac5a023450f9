#include "soak/matrix.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nonzero/generate.hpp>

namespace nz::trials {
namespace {

// Entries in any order, in a matrix that can do without them.
struct Triplets {
  std::vector<index_t> rows, columns;
  std::vector<double> values;
  std::size_t size() const { return rows.size(); }
  void add(index_t i, index_t j, double v) {
    rows.push_back(i);
    columns.push_back(j);
    values.push_back(v);
  }
  Matrix matrix(index_t m, index_t n) const {
    return csr_from_triplets<double, std::int64_t>(m, n, rows, columns, values);
  }
};

// What values look like: any, few different ones (which formats store in a byte), one, floats.
class Values {
 public:
  explicit Values(Draw& draw)
      : kind_(draw.below(5)), few_(draw.between(2, 300)), random_(draw.endless()) {}
  double operator()() {
    switch (kind_) {
      case 0:
        return 2 * random_.unit() - 1;
      case 1:
        return static_cast<double>(random_.below(static_cast<std::uint64_t>(few_))) - few_ / 2;
      case 2:
        return 1;
      case 3:
        return static_cast<float>(2 * random_.unit() - 1);
      default:  // of many sizes, with explicit zeros
        return random_.one_in(8) ? 0 : std::ldexp(2 * random_.unit() - 1, random_.between(-30, 30));
    }
  }

 private:
  std::uint64_t kind_;
  int few_;
  Draw random_;
};

// Rows whose lengths are drawn one by one, where there are few; by a rule where there are many.
Matrix by_rows(Draw& draw, index_t m, index_t n, std::int64_t most) {
  Values value(draw);
  Triplets t;
  const auto rule = draw.below(6);
  const auto mean = draw.size_up_to(24) + 1;
  const auto hub = static_cast<index_t>(draw.below(static_cast<std::uint64_t>(m)));
  const auto width = static_cast<std::uint64_t>(n);
  const bool chosen = m <= 24;
  Draw random = draw.endless();
  Draw& r = chosen ? draw : random;
  for (index_t i = 0; i < m && static_cast<std::int64_t>(t.size()) < most; ++i) {
    std::uint64_t length = 0;
    switch (rule) {
      case 0:  // alike
        length = mean;
        break;
      case 1:  // many empty
        length = r.one_in(4) ? r.below(4 * mean + 1) : 0;
        break;
      case 2:  // one row has most
        length = i == hub ? width : r.below(3);
        break;
      case 3:  // up to a few times the mean
        length = r.below(3 * mean + 1);
        break;
      case 4:  // steep
        length = r.size_up_to(r.size_up_to(width));
        break;
      default:  // full rows, and empty ones
        length = r.one_in(5) ? width : 0;
    }
    length = std::min({length, width, static_cast<std::uint64_t>(most)});
    const std::uint64_t reach = r.one_in(3) ? width : std::min(width, 2 * length + 1);
    const auto first = r.below(width - reach + 1);
    for (std::uint64_t k = 0; k < length; ++k) {
      const auto j = length * 2 > reach ? first + k % reach : first + r.below(reach);
      t.add(i, static_cast<index_t>(j), value());
    }
  }
  return t.matrix(m, n);
}

// Small dense blocks, some with holes.
Matrix by_blocks(Draw& draw, index_t m, index_t n, std::int64_t most) {
  Values value(draw);
  Triplets t;
  const auto height = draw.between<index_t>(1, 9), width = draw.between<index_t>(1, 9);
  const auto down = (m + height - 1) / height, across = (n + width - 1) / width;
  const auto a_row = draw.between<index_t>(1, 5);
  const bool holes = draw.one_in(3);
  Draw random = draw.endless();
  for (index_t b = 0; b < down && static_cast<std::int64_t>(t.size()) < most; ++b)
    for (index_t k = 0; k < a_row; ++k) {
      const auto c = random.between<index_t>(0, across - 1);
      for (index_t i = b * height; i < std::min(m, (b + 1) * height); ++i)
        for (index_t j = c * width; j < std::min(n, (c + 1) * width); ++j)
          if (!holes || !random.one_in(6)) t.add(i, j, value());
    }
  return t.matrix(m, n);
}

Matrix by_diagonals(Draw& draw, index_t m, index_t n, std::int64_t most) {
  Values value(draw);
  Triplets t;
  for (auto d = draw.between(1, 12); d > 0; --d) {
    const auto shift = static_cast<index_t>(draw.between<std::int64_t>(1 - m, n - 1));
    for (index_t i = std::max(0, -shift); i < m && i + shift < n; ++i) t.add(i, i + shift, value());
    if (static_cast<std::int64_t>(t.size()) >= most) break;
  }
  return t.matrix(m, n);
}

std::string small_spec(Draw& draw, index_t most_rows) {
  const auto n = draw.between<index_t>(1, most_rows);
  const auto side = static_cast<index_t>(std::sqrt(static_cast<double>(n))) + 1;
  const auto seed = draw.below(1000);
  switch (draw.below(7)) {
    case 0:
      return fmt::format("grid:points={},nx={},ny={}", draw.one_in(2) ? 9 : 5, side, side);
    case 1:
      return fmt::format("banded:n={},lower={},upper={},density=0.{},seed={}", n, draw.below(9),
                         draw.below(9), draw.between(1, 9), seed);
    case 2:
      return fmt::format("fem:nx={},ny={},nz=2,block={},seed={}", side / 4 + 1, side / 4 + 1,
                         draw.between(1, 4), seed);
    case 3: {
      int scale = 0;
      while (scale < 11 && (2 << scale) <= n) ++scale;
      return fmt::format("rmat:scale={},degree={},seed={}", scale, draw.between(1, 8), seed);
    }
    case 4:
      return fmt::format("random:rows={},cols={},density=0.0{},seed={}", n,
                         draw.between<index_t>(1, most_rows), draw.between(1, 9), seed);
    case 5:
      return fmt::format("road:nx={},ny={},seed={}", side, side, seed);
    default:
      return fmt::format("mycielskian:k={}", draw.between(2, n < 200 ? 6 : 9));
  }
}

}  // namespace

Drawn draw_matrix(Draw& draw, index_t most_rows, std::int64_t most) {
  const auto kind = draw.below(12);
  if (kind == 0) {  // nothing in it
    const auto m = draw.one_in(2) ? 0 : draw.between<index_t>(0, 70);
    const auto n = draw.one_in(2) ? 0 : draw.between<index_t>(0, 70);
    return {Triplets().matrix(m, n), fmt::format("empty {} x {}", m, n)};
  }
  if (kind <= 3) {
    std::string spec = small_spec(draw, most_rows);
    Matrix a = generate(spec).matrix;
    if (a.nnz() > 4 * most) return {by_diagonals(draw, 10, 10, most), "diagonals 10 x 10"};
    return {std::move(a), spec};
  }
  const auto limit = static_cast<std::uint64_t>(most_rows);
  const auto m = static_cast<index_t>(1 + draw.size_up_to(limit - 1));
  const auto n = draw.one_in(3) ? m : static_cast<index_t>(1 + draw.size_up_to(limit - 1));
  if (kind <= 8) return {by_rows(draw, m, n, most), fmt::format("rows {} x {}", m, n)};
  if (kind <= 10) return {by_blocks(draw, m, n, most), fmt::format("blocks {} x {}", m, n)};
  return {by_diagonals(draw, m, n, most), fmt::format("diagonals {} x {}", m, n)};
}

Drawn draw_system(Draw& draw, index_t most_rows, bool symmetric) {
  const auto n = draw.between<index_t>(1, most_rows);
  Draw random = draw.endless();
  std::vector<double> sum(static_cast<std::size_t>(n), 0);
  Triplets t;
  const auto put = [&](index_t i, index_t j, double v) {
    t.add(i, j, v);
    sum[static_cast<std::size_t>(i)] += std::abs(v);
  };
  for (index_t i = 0; i < n; ++i)
    for (auto k = random.below(5); k > 0; --k) {
      const auto j = random.between<index_t>(0, n - 1);
      if (j == i) continue;
      const double v = 2 * random.unit() - 1;
      put(i, j, v);
      put(j, i, symmetric ? v : 2 * random.unit() - 1);
    }
  for (index_t i = 0; i < n; ++i) t.add(i, i, 1.3 * sum[static_cast<std::size_t>(i)] + 0.5);
  return {t.matrix(n, n), fmt::format("{}dominant {} x {}", symmetric ? "symmetric " : "", n, n)};
}

}  // namespace nz::trials
