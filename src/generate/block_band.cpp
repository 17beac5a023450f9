#include <algorithm>
#include <cmath>

#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// chirila2025 §5.1: dense blocks in a band around the diagonal, positive, each row summing to 1.
// Every block row has the same number of blocks: near the edges the band is shifted inwards, not
// clipped. The last block row and column are smaller when block does not divide n.
struct BlockBand {
  index_t n, block, blocks, width;  // width: blocks in a block row

  BlockBand(index_t size, index_t edge, double density)
      : n(size), block(edge), blocks(size / edge + (size % edge != 0)), width(0) {
    if (n > 0 && density > 0)
      width = std::clamp(static_cast<index_t>(std::round(density * blocks)), index_t{1}, blocks);
  }

  index_t first(index_t row) const {
    const index_t start = std::clamp(row / block - width / 2, index_t{0}, blocks - width);
    return start * block;
  }
  index_t last(index_t row) const {
    const std::int64_t end = std::int64_t{first(row)} + std::int64_t{width} * block;
    return static_cast<index_t>(std::min<std::int64_t>(end, n));
  }
};

// Weights are whole numbers in (2^20, 2^21], so that their sum is exact and each value is off
// by one rounding alone: the stored values of a row add up to 1 within 2^-53.
double weight(std::uint64_t bits) { return static_cast<double>((bits >> 44) + (1u << 20) + 1); }

BlockBand band_of(const Settings& all) {
  return {whole_index(all, "n"), whole_index(all, "block"), real(all, "density")};
}

GeneratedMatrix make_block_band(const Settings& all) {
  const BlockBand band = band_of(all);
  const Hash hash(seed_of(all));
  return from_rows(
      band.n, band.n, [&](index_t i) { return band.width == 0 ? 0 : band.last(i) - band.first(i); },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        const Hash row = hash.at(i);
        const index_t first = band.first(i);
        double sum = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          columns[k] = first + static_cast<index_t>(k);
          values[k] = weight(row(k));
          sum += values[k];
        }
        for (std::int64_t k = 0; k < n; ++k) values[k] /= sum;
      });
}

MatrixSize size_block_band(const Settings& all) {
  const BlockBand b = band_of(all);
  // Rows whose band reaches the last block column lack what that one lacks of a whole block.
  const index_t before = b.width == b.blocks ? 0 : b.blocks - b.width + b.width / 2;
  const double reach = b.n - static_cast<double>(before) * b.block;
  const double missing = static_cast<double>(b.blocks) * b.block - b.n;
  const double whole_rows = static_cast<double>(b.n) * b.width * b.block;
  return size_by_rows(b.n, b.n, b.width == 0 ? 0 : whole_rows - reach * missing);
}

}  // namespace

Family block_band_family() {
  return {"block-band",
          "stochastic block band: dense blocks around the diagonal, positive, rows sum to 1",
          "chirila2025 §5.1",
          "block-band:n=3200,block=5,density=0.05",
          {{"n", "rows and columns", 32000, 0, max_index},
           {"block", "edge of a dense block", 5, 1, 1 << 20},
           {"density", "share of the block columns that a block row fills", 0.05, 0, 1},
           seed_setting},
          make_block_band,
          size_block_band};
}

}  // namespace nz
