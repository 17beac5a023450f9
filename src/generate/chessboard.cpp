#include <algorithm>
#include <array>

#include "generate/combinations.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

constexpr int widest = 16;

// Placements of `rooks` rooks on an m x n board, none attacking another: which rows have one, and
// the columns of these in order.
struct Placements {
  int m, n, rooks;

  // n (n - 1) ... : choices of the columns.
  std::int64_t arrangements() const {
    std::int64_t count = 1;
    for (int k = 0; k < rooks; ++k) count *= n - k;
    return count;
  }
  std::int64_t count() const { return binomial(m, rooks) * arrangements(); }

  // Rows first, then columns in the order of dictionaries: each counts the free ones before it.
  std::int64_t rank(std::uint64_t rows, const int* columns) const {
    std::int64_t rank = rank_of_subset(rows);
    std::uint64_t used = 0;
    for (int k = 0; k < rooks; ++k) {
      const std::uint64_t below = (std::uint64_t{1} << columns[k]) - 1;
      rank = rank * (n - k) + columns[k] - std::popcount(used & below);
      used |= std::uint64_t{1} << columns[k];
    }
    return rank;
  }
  std::uint64_t at(std::int64_t rank, int* columns) const {
    std::array<int, widest> digits{};
    for (int k = rooks - 1; k >= 0; --k) {
      digits[static_cast<std::size_t>(k)] = static_cast<int>(rank % (n - k));
      rank /= n - k;
    }
    std::uint64_t used = 0;
    for (int k = 0; k < rooks; ++k) {
      int column = 0;
      for (int free = digits[static_cast<std::size_t>(k)];; ++column)
        if (!(used >> column & 1) && free-- == 0) break;
      columns[k] = column;
      used |= std::uint64_t{1} << column;
    }
    return subset_of_rank(m, rooks, rank);
  }
};

struct Boundary {
  Placements of, to;
  index_t rows, cols;

  explicit Boundary(const Settings& all)
      : of{static_cast<int>(whole(all, "m")), static_cast<int>(whole(all, "n")),
           static_cast<int>(whole(all, "rooks"))},
        to{of.m, of.n, of.rooks - 1} {
    if (of.rooks > of.m || of.rooks > of.n)
      throw InvalidArgument(
          fmt::format("{} rooks attack each other on {} x {} squares", of.rooks, of.m, of.n));
    rows = counted("placements", of.count());
    cols = counted("placements", to.count());
  }
};

GeneratedMatrix make_chessboard(const Settings& all) {
  const Boundary boundary(all);
  const int rooks = boundary.of.rooks;
  return from_rows(
      boundary.rows, boundary.cols, [&](index_t) { return rooks; },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        std::array<int, widest> at{}, left{};
        std::array<std::pair<index_t, double>, widest> faces;
        const std::uint64_t rows = boundary.of.at(i, at.data());
        std::uint64_t rest = rows;
        for (int k = 0; k < rooks; ++k, rest &= rest - 1) {
          std::copy(at.begin() + k + 1, at.begin() + rooks,
                    std::copy_n(at.begin(), k, left.begin()));
          const std::uint64_t others = rows ^ (rest & (~rest + 1));
          faces[static_cast<std::size_t>(k)] = {
              static_cast<index_t>(boundary.to.rank(others, left.data())), k % 2 ? -1.0 : 1.0};
        }
        std::sort(faces.begin(), faces.begin() + rooks);
        for (int k = 0; k < rooks; ++k)
          std::tie(columns[k], values[k]) = faces[static_cast<std::size_t>(k)];
      });
}

MatrixSize size_chessboard(const Settings& all) {
  const Boundary boundary(all);
  return size_by_rows(boundary.rows, boundary.cols,
                      static_cast<double>(boundary.rows) * boundary.of.rooks);
}

}  // namespace

Family chessboard_family() {
  return {"chessboard",
          "boundary matrix of a chessboard complex: rows of one length, all 1 and -1, exact",
          "own",
          "chessboard:m=6,n=6,rooks=4",
          {{"m", "rows of the board", 7, 1, widest},
           {"n", "columns of the board", 7, 1, widest},
           {"rooks", "rooks placed, a matrix row a placement; one less a column", 4, 1, widest}},
          make_chessboard,
          size_chessboard};
}

}  // namespace nz
