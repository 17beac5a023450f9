#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "lab/papers/chirila2025.hpp"
#include "lab/papers/chirila2025_gpu.hpp"
#include "lab/papers/chirila2025_gpu_notes.hpp"

namespace nz::lab::chirila2025 {
namespace {

using Line = Comparison::Line;

constexpr Launch nothing{};

const Launch& at(const Launches& all, int threads) {
  const auto found = all.find(threads);
  return found == all.end() ? nothing : found->second;
}

const Launches& of(const GpuFigures& f, const GpuKernel& kernel) {
  static const Launches none;
  const auto found = f.best.find(kernel.id);
  return found == f.best.end() ? none : found->second;
}

// The paper's lines of a table, with the figures that `here` makes for a block size.
template <class Here>
std::vector<Line> by_block_size(int number, Here&& here) {
  std::vector<Line> lines;
  const auto paper = gpu_table(number);
  for (std::size_t k = 0; k < paper.size(); ++k)
    lines.push_back({paper[k].first, here(block_sizes[k]), paper[k].second});
  return lines;
}

const std::map<std::string, Style, std::less<>> styles = {
    {column::max_blocks, Style::count},   {column::warps, Style::count},
    {column::blocks, Style::count},       {column::oversubscription, Style::count},
    {column::occupancy, Style::percent},  {column::grid, Style::count},
    {column::time, Style::seconds},       {column::workers, Style::count},
    {column::proportion, Style::percent}, {column::per_sm, Style::count},
    {column::contention, Style::count},   {column::registers, Style::count},
    {column::of_peak, Style::percent},    {column::of_read, Style::percent},
    {column::hot, Style::seconds},        {column::separate, Style::seconds},
    {column::threads, Style::count},      {column::of_square, Style::percent},
    {column::fused, Style::seconds}};

// Table 4: what a register file of 65,536 holds of warps whose registers are given out by 256, and
// of blocks made of them; 32 blocks at most.
Comparison launches_at_77(const GpuFigures& f) {
  constexpr int registers = 77, file = 65'536, unit = 256, most_blocks = 32;
  constexpr int a_warp = (32 * registers + unit - 1) / unit * unit, warps = file / a_warp;
  const int processors =
      f.device.device.kind == Device::Kind::cuda ? f.device.processors : P100::processors;
  Comparison c{
      .title = fmt::format("Table 4: launches of a kernel with {} registers a thread", registers),
      .corner = "Threads per Block",
      .columns = {column::warps, column::blocks, column::grid},
      .styles = styles};
  for (const auto& [label, paper] : gpu_table(4)) {
    const int in_block = std::stoi(label) / 32, blocks = std::min(warps / in_block, most_blocks);
    c.lines.push_back(
        {label,
         {{column::warps, in_block}, {column::blocks, blocks}, {column::grid, blocks * processors}},
         paper});
  }
  c.notes.push_back(fmt::format(
      "Computed, not measured: {} warps a multiprocessor, {} multiprocessors; the paper's has {}.",
      warps, processors, P100::processors));
  return c;
}

// Tables 7, 8, 10 and 12.
Comparison launches(const GpuFigures& f, const GpuKernel& kernel, std::string title) {
  return {.title = fmt::format("Table {}: {}", kernel.table, title),
          .corner = "Block Size",
          .columns = {column::max_blocks, column::blocks, column::oversubscription, column::grid,
                      column::time},
          .lines = by_block_size(kernel.table,
                                 [&](int threads) {
                                   const Launch& l = at(of(f, kernel), threads);
                                   return Figures{{column::max_blocks, l.max_blocks},
                                                  {column::blocks, l.grid / f.device.processors},
                                                  {column::oversubscription, l.oversubscription},
                                                  {column::grid, l.grid},
                                                  {column::time, l.seconds}};
                                 }),
          .styles = styles};
}

Comparison low_occupancy(const GpuFigures& f) {
  return {
      .title = fmt::format("Table 9: {}, best launches under low occupancy", thread_private.label),
      .corner = "Block Size",
      .columns = {column::max_blocks, column::blocks, column::occupancy, column::grid,
                  column::time},
      .lines = by_block_size(9,
                             [&](int threads) {
                               const Launch& l = at(f.low, threads);
                               const double on_each = l.grid / f.device.processors;
                               return Figures{{column::max_blocks, l.max_blocks},
                                              {column::blocks, on_each},
                                              {column::occupancy, on_each / l.max_blocks},
                                              {column::grid, l.grid},
                                              {column::time, l.seconds}};
                             }),
      .styles = styles};
}

Comparison teams(const GpuFigures& f) {
  return {.title = "Table 11: Worker participation and contention, team-based accumulation",
          .corner = "Block Size",
          .columns = {column::workers, column::proportion, column::per_sm, column::contention,
                      column::time},
          .lines = by_block_size(11,
                                 [&](int threads) {
                                   const Launch& l = at(of(f, team), threads);
                                   const int working = threads - threads % (block * block);
                                   return Figures{
                                       {column::workers, working},
                                       {column::proportion, static_cast<double>(working) / threads},
                                       {column::per_sm, working * l.max_blocks},
                                       {column::contention, working / block},
                                       {column::time, l.seconds}};
                                 }),
          .styles = styles};
}

// Everything against cuSPARSE: the faster of its two calls.
Comparison summary(const GpuFigures& f) {
  Comparison c{.title = "Table 13 and figure 6: Best configuration of each, compared to cuSPARSE",
               .corner = "Implementation",
               .columns = {column::time, column::speedup, column::rate, column::of_peak,
                           column::of_read, column::hot, column::gain},
               .styles = styles};
  const auto other = [&](const char* label) -> const Launch& {
    const auto found = f.others.find(label);
    return found == f.others.end() ? nothing : found->second;
  };
  const double baseline = std::fmin(other(cusparse).seconds, other(cusparse_generic).seconds);
  const auto add = [&](const std::string& label, const Launch& l, Figures paper) {
    const double rate = products * f.bytes / l.seconds;
    c.lines.push_back({label,
                       {{column::time, l.seconds},
                        {column::speedup, baseline / l.seconds},
                        {column::rate, rate / 1e9},
                        {column::of_peak, rate / f.peak},
                        {column::of_read, rate / f.read},
                        {column::hot, l.hot_seconds},
                        {column::gain, figure(paper, column::time) / l.seconds}},
                       std::move(paper)});
  };
  for (auto& [label, paper] : gpu_table(13)) {
    if (label == cusparse) {
      add(label, other(cusparse), std::move(paper));
      add(cusparse_generic, other(cusparse_generic), {});
      continue;
    }
    for (const GpuKernel& k : gpu_kernels) {
      if (label != k.label) continue;
      Launches all = of(f, k);
      if (label == thread_private.label)
        // The block sizes of the two tables do not matter here.
        for (const auto& [threads, l] : f.low) all.emplace(-threads, l);
      add(label, fastest(all), std::move(paper));
    }
  }
  if (f.others.contains(own)) add(own, other(own), {});
  // Batches have nothing else.
  if (std::none_of(c.lines.begin(), c.lines.end(),
                   [](const Line& l) { return !std::isnan(figure(l.here, column::hot)); }))
    std::erase(c.columns, column::hot);
  return c;
}

Comparison register_study(const GpuFigures& f) {
  Comparison c{.title = "Study: the vector kernel under a limit of registers",
               .corner = "Block Size",
               .columns = {column::registers, column::time},
               .styles = styles};
  for (const int limit : register_limits) {
    c.columns.push_back(limited_time(limit));
    c.styles[c.columns.back()] = Style::seconds;
  }
  for (const int threads : block_sizes) {
    const Launch& l = at(of(f, unrolled), threads);
    Figures here{{column::registers, l.registers}, {column::time, l.seconds}};
    for (const auto& [limit, launches] : f.limited)
      here[limited_time(limit)] = at(launches, threads).seconds;
    c.lines.push_back({std::to_string(threads), std::move(here), {}});
  }
  return c;
}

Comparison rows_study(const GpuFigures& f) {
  Comparison c{.title = "Study: the vector kernel by ROWS_AT_ONCE",
               .corner = "ROWS_AT_ONCE",
               .columns = {column::registers, column::max_blocks, column::grid, column::time},
               .styles = styles};
  for (const int n : rows_at_once_tried) {
    const Launch& l = at(f.rows_at_once, n);
    c.lines.push_back({std::to_string(n),
                       {{column::registers, l.registers},
                        {column::max_blocks, l.max_blocks},
                        {column::grid, l.grid},
                        {column::time, l.seconds}},
                       {}});
  }
  return c;
}

Comparison shape_study(const GpuFigures& f) {
  Comparison c{.title = "Study: the vector kernel on other shapes of blocks",
               .corner = "Block",
               .columns = {column::fill, column::threads, column::time, column::stored_rate,
                           column::of_square},
               .styles = styles};
  const auto best = [&](const Shape& shape) {
    std::pair<int, Launch> one{};
    if (const auto found = f.by_shape.find(shape); found != f.by_shape.end())
      for (const auto& [threads, l] : found->second)
        if (std::isnan(one.second.seconds) || l.seconds < one.second.seconds) one = {threads, l};
    return one;
  };
  const auto rate = [](const Launch& l) { return products * l.bytes / l.seconds; };
  const double square = rate(best({block, block}).second);
  for (const Shape& shape : shapes) {
    const auto [threads, l] = best(shape);
    c.lines.push_back({name(shape),
                       {{column::fill, l.fill},
                        {column::threads, std::isnan(l.seconds) ? no_figure : threads},
                        {column::time, l.seconds},
                        {column::stored_rate, rate(l) / 1e9},
                        {column::of_square, rate(l) / square}},
                       {}});
  }
  return c;
}

Comparison scaling_study(const GpuFigures& f) {
  Comparison c{
      .title = "Study: y scaled by a kernel of its own (listing 13), or where it is stored",
      .corner = "Implementation",
      .columns = {column::separate, column::fused},
      .styles = styles};
  for (const GpuKernel& k : gpu_kernels) {
    const auto found = f.scaling.find(k.id);
    const auto [separate, fused] =
        found == f.scaling.end() ? std::pair(no_figure, no_figure) : found->second;
    c.lines.push_back({k.label, {{column::separate, separate}, {column::fused, fused}}, {}});
  }
  return c;
}

}  // namespace

std::string name(const Shape& shape) { return fmt::format("{} x {}", shape.rows, shape.cols); }

std::string limited_time(int limit) { return fmt::format("Time, at most {} (s)", limit); }

const Launch& fastest(const Launches& all) {
  const Launch* best = &nothing;
  for (const auto& [threads, l] : all)
    if (std::isnan(best->seconds) || l.seconds < best->seconds) best = &l;
  return *best;
}

std::vector<Comparison> gpu_tables(const GpuFigures& f) {
  const auto best = [](const GpuKernel& k) {
    return fmt::format("{}, best launch of each block size", k.label);
  };
  std::vector<Comparison> all = {launches_at_77(f),
                                 launches(f, row_major, best(row_major)),
                                 launches(f, thread_private, best(thread_private)),
                                 low_occupancy(f),
                                 launches(f, team, best(team)),
                                 teams(f),
                                 launches(f, unrolled, best(unrolled)),
                                 summary(f),
                                 register_study(f),
                                 rows_study(f),
                                 scaling_study(f),
                                 shape_study(f)};
  add_notes(f, all);
  return all;
}

}  // namespace nz::lab::chirila2025
