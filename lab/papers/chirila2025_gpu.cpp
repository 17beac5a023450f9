#include "lab/papers/chirila2025_gpu.hpp"

#include <stdexcept>

#include "lab/papers/chirila2025.hpp"

namespace nz::lab::chirila2025 {
namespace {

using Lines = std::vector<std::pair<std::string, Figures>>;

// Figures of one block size each, from 1024 down.
template <std::size_t n>
Lines by_block_size(const std::array<const char*, n>& columns,
                    const std::vector<std::array<double, n>>& all) {
  Lines lines;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Figures f;
    for (std::size_t c = 0; c < n; ++c)
      if (all[k][c] == all[k][c]) f.emplace(columns[c], all[k][c]);
    lines.emplace_back(std::to_string(block_sizes[k]), std::move(f));
  }
  return lines;
}

constexpr double none = no_figure;

}  // namespace

Lines gpu_table(int number) {
  constexpr std::array launch{column::max_blocks, column::blocks, column::oversubscription,
                              column::grid, column::time};
  switch (number) {
    case 7:
      return by_block_size(launch, {{2, 32, 16, 1792, 10.053},
                                    {4, 64, 16, 3584, 4.368},
                                    {8, 64, 8, 3584, 1.919},
                                    {16, 256, 16, 14336, 0.809},
                                    {32, 32, 1, 1792, 0.608},
                                    {32, 32, 1, 1792, 0.558}});
    case 8:
      return by_block_size(launch, {{2, 32, 16, 1792, 1.295},
                                    {4, 64, 16, 3584, 1.399},
                                    {8, 128, 16, 7168, 1.417},
                                    {16, 256, 16, 14336, 1.413},
                                    {32, 128, 4, 7168, 1.511},
                                    {32, 512, 16, 28672, 0.813}});
    case 9:
      return by_block_size(std::array{column::max_blocks, column::blocks, column::occupancy,
                                      column::grid, column::time},
                           {{2, 1, 0.50, 56, 0.874},
                            {4, 2, 0.50, 112, 0.790},
                            {8, 2, 0.25, 112, 0.767},
                            {16, 4, 0.25, 224, 0.733},
                            {32, 8, 0.25, 448, 0.718},
                            {32, 16, 0.50, 896, 0.707}});
    case 10:
      return by_block_size(launch, {{2, 16, 8, 896, 1.514},
                                    {4, 4, 1, 224, 0.424},
                                    {8, 8, 1, 448, 0.193},
                                    {16, 16, 1, 896, 0.178},
                                    {32, 32, 1, 1792, 0.196},
                                    {32, 32, 1, 1792, 0.260}});
    case 11:
      return by_block_size(std::array{column::workers, column::proportion, column::per_sm,
                                      column::contention, column::time},
                           {{1000, 0.98, 2000, 200, 1.514},
                            {500, 0.98, 2000, 100, 0.424},
                            {250, 0.98, 2000, 50, 0.193},
                            {125, 0.98, 2000, 25, 0.178},
                            {50, 0.78, 1600, 10, 0.196},
                            {25, 0.78, 800, 5, 0.260}});
    case 12:
      return by_block_size(launch, {{0, none, none, none, none},
                                    {1, 8, 8, 448, 0.231},
                                    {3, 24, 8, 1344, 0.161},
                                    {6, 48, 8, 2688, 0.155},
                                    {12, 48, 4, 2688, 0.155},
                                    {25, 200, 8, 11200, 0.171}});
    case 13: {
      const auto line = [](double seconds, double gain, double rate, double share) {
        return Figures{{column::time, seconds},
                       {column::speedup, gain},
                       {column::rate, rate},
                       {column::of_peak, share}};
      };
      return {{cusparse, line(0.337, 1, 248.267, 0.339)},
              {row_major.label, line(0.558, 0.60, 149.939, 0.205)},
              {thread_private.label, line(0.707, 0.48, 118.339, 0.162)},
              {team.label, line(0.178, 1.89, 470.033, 0.642)},
              {unrolled.label, line(0.155, 2.17, 539.780, 0.737)}};
    }
    default:
      throw std::out_of_range("chirila2025: no such table");
  }
}

double bytes_of_product(std::int64_t n, std::int64_t nonzeros) {
  const std::int64_t in_blocks = nonzeros / (block * block);
  return static_cast<double>(8 * nonzeros + 4 * in_blocks + 4 * (n / block + 1) + 2 * 8 * n);
}

double peak_of(const DeviceInfo& device) {
  // As the maker names and publishes them.
  struct Known {
    const char* name;
    double bytes;
  };
  constexpr Known all[] = {{"P100-PCIE-16GB", P100::peak},
                           {"V100-SXM2", 900e9},
                           {"A100-SXM4-80GB", 2039e9},
                           {"H100 80GB HBM3", 3350e9},
                           {"H200", 4800e9}};
  for (const Known& k : all)
    if (device.description.find(k.name) != std::string::npos) return k.bytes;
  return no_figure;
}

}  // namespace nz::lab::chirila2025
