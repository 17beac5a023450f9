#include <algorithm>

#include <fmt/format.h>

#include "lab/papers/izawa2023.hpp"
#include "lab/papers/recall.hpp"

// Figures 4.1 and 4.2 of izawa2023, which have no numbers: what their matrices look like.
namespace nz::lab::izawa2023 {
namespace {

constexpr const char *least = "fewest nonzeros of a block", *most = "most nonzeros of a block";

}  // namespace

std::vector<BlockRow> block_rows(const CsrView<float, std::int32_t>& a, index_t block) {
  std::vector<BlockRow> all;
  for (index_t first = 0; first < a.rows; first += block) {
    std::vector<double> counts(static_cast<std::size_t>((a.cols + block - 1) / block));
    const index_t last = std::min(first + block, a.rows);
    for (auto k = a.offsets[first]; k < a.offsets[last]; ++k)
      ++counts[static_cast<std::size_t>(a.columns[k] / block)];
    if (counts.empty()) continue;
    const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
    all.push_back({*low, *high});
  }
  return all;
}

std::vector<BlockRow> recalled_block_rows(const Recall& from) {
  std::vector<BlockRow> all;
  for (;;) {
    const std::string label = std::to_string(all.size() + 1);
    const BlockRow one{from.here(figure_ideal, label, least), from.here(figure_ideal, label, most)};
    if (one.least != one.least) return all;
    all.push_back(one);
  }
}

Comparison places(const AllFigures& f) {
  Labels labels;
  for (const MatrixFigures& m : f.named) labels.emplace_back(m.name, label_of(m));
  return picture_table(fmt::format("{}: where the nonzeros are", figure_places), "Name", labels,
                       f.pictures);
}

Comparison ideal_blocks(const AllFigures& f) {
  Comparison c{
      .title = fmt::format("{}: the ideal matrix, in blocks of {}", figure_ideal, balanced_block),
      .corner = "Block row",
      .columns = {least, most},
      .lines = {},
      .styles = {{least, Style::count}, {most, Style::count}}};
  for (const BlockRow& row : f.ideal_blocks)
    c.lines.push_back(
        {std::to_string(c.lines.size() + 1), {{least, row.least}, {most, row.most}}, {}});
  c.notes.emplace_back(
      "The paper has colours and no numbers: blocks of a block row are alike, block rows differ. "
      "How many nonzeros each has is not published and assumed.");
  if (c.lines.empty()) c.notes.emplace_back("Not counted: the record has none.");
  return c;
}

}  // namespace nz::lab::izawa2023
