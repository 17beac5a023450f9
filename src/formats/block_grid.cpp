#include <nonzero/formats/block_grid.hpp>

#include <bit>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "formats/block_places.hpp"
#include "formats/checks.hpp"

namespace nz {

std::string beta_problem(std::int64_t beta) {
  if (beta >= 1 && beta <= max_beta && (beta & (beta - 1)) == 0) return {};
  return fmt::format("beta is {}, not a power of two from 1 to {}", beta, max_beta);
}

index_t root_beta(index_t rows, index_t cols) {
  const auto n = static_cast<std::uint32_t>(std::max(std::min(rows, cols), index_t{1}));
  const int root = (std::bit_width(n - 1) + 1) / 2;  // the smallest with 4^root >= n
  return std::min(index_t{1} << root, max_beta);
}

int digits_of(const char* format, std::int64_t beta) {
  if (const std::string problem = beta_problem(beta); !problem.empty())
    throw InvalidArgument(fmt::format("{}: {}", format, problem));
  return std::countr_zero(static_cast<std::uint64_t>(beta));
}

void require_blocks(const char* format, const BlockGrid& g, std::int64_t nnz, double max_ratio) {
  const double lines = static_cast<double>(g.rows) + g.cols + static_cast<double>(nnz);
  if (const auto blocks = static_cast<double>(g.blocks()); blocks > max_ratio * lines)
    throw Refused(
        fmt::format("{}: {:.4g} blocks of {} x {} for {} nonzeros, rows and columns, limit {} each",
                    format, blocks, g.beta(), g.beta(), lines, max_ratio));
}

void check_grid(const char* format, const BlockGrid& g) {
  check_shape(format, g.rows, g.cols);
  if (g.digits < 0 || g.digits > 15)
    throw BadInput(fmt::format("{}: blocks of 2^{}", format, g.digits));
}

void check_place(const char* format, const BlockGrid& g, std::int64_t block, std::int64_t k,
                 std::uint32_t place) {
  const std::int64_t top = block / g.block_cols() << g.digits;
  const std::int64_t left = block % g.block_cols() << g.digits;
  const std::int64_t height = std::min<std::int64_t>(g.beta(), g.rows - top);
  const std::int64_t width = std::min<std::int64_t>(g.beta(), g.cols - left);
  if (g.row_in_block(place) >= height || g.column_in_block(place) >= width)
    throw BadInput(fmt::format("{}: block {}, entry {}: place ({}, {}) is outside {} x {}", format,
                               block, k, g.row_in_block(place), g.column_in_block(place), height,
                               width));
}

void not_in_morton_order(const char* format, std::int64_t block, std::int64_t k) {
  throw BadInput(fmt::format("{}: block {}, entry {}: not in Morton order", format, block, k));
}

}  // namespace nz
