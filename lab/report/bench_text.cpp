#include "lab/report/bench_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using Results = std::vector<const Result*>;

// In the order of their first appearance.
template <class KeyOf>
std::vector<std::pair<std::string, Results>> grouped(const Results& all, KeyOf&& key_of) {
  std::vector<std::pair<std::string, Results>> groups;
  for (const Result* r : all) {
    const std::string k = key_of(*r);
    auto at = std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.first == k; });
    if (at == groups.end()) at = groups.insert(at, {k, {}});
    at->second.push_back(r);
  }
  return groups;
}

// The kernel, with its parameters where the group has it with others too.
std::string shown_name(const Result& r, const Results& group) {
  const bool several = std::any_of(group.begin(), group.end(), [&](const Result* other) {
    return other->kernel == r.kernel && other->parameters != r.parameters;
  });
  std::string name = r.kernel;
  if (several)
    for (const auto& [key, value] : r.parameters) name += fmt::format(" {}={}", key, value);
  if (r.planned.value_or(false)) name += " *";
  if (r.one_by_one) name += " (one by one)";
  return name;
}

template <class Text>
std::string or_dash(const std::optional<double>& v, Text&& text) {
  return v ? text(*v) : std::string("-");
}

// The plain CSR that all of a table is compared with: the case that most products of a matrix have,
// of these the one on most threads. A record compares each case with plain CSR on as many threads;
// in a table that would be several baselines under one title.
struct Baseline {
  std::string kernel;  // empty: there is none
  int threads = 0;

  explicit Baseline(const Results& of_matrix) {
    std::map<std::pair<std::string, int>, int> products;
    for (const Result* r : of_matrix)
      if (r->timed() && is_plain_csr(r->kernel)) ++products[{r->kernel, r->threads}];
    int most = 0;
    for (const auto& [which, n] : products)
      if (n > most || (n == most && which.second >= threads)) {
        most = n;
        std::tie(kernel, threads) = which;
      }
  }
  // Null where the group does not have it.
  const Result* among(const Results& group) const {
    for (const Result* r : group)
      if (r->timed() && r->kernel == kernel && r->threads == threads) return r;
    return nullptr;
  }
  std::string text(bool gpu) const {
    return gpu ? kernel : fmt::format("{} on {}", kernel, plural(threads, "thread", "threads"));
  }
};

std::vector<Cell> row(const Result& r, const Results& group, const Result* csr, bool gpu) {
  const auto decimals = [](double v) { return fmt::format("{:.2f}", v); };
  std::string pays = "-", speedup = "-";
  if (csr) {
    const double gain = *csr->median_s - *r.median_s;
    const double cost = r.setup_s.value_or(0) - csr->setup_s.value_or(0);
    speedup = decimals(*csr->median_s / *r.median_s);
    if (csr != &r)
      pays = gain > 0 ? count_text(static_cast<std::int64_t>(std::ceil(std::max(0.0, cost) / gain)))
                      : "never";
  }
  return {shown_name(r, group),
          gpu ? or_dash(r.hot_median_s, seconds_text) : std::to_string(r.threads),
          seconds_text(*r.median_s),
          or_dash(r.noise, [](double v) { return fmt::format("{:.1f} %", 100 * v); }),
          or_dash(r.gflops, decimals),
          r.bytes ? rate_text(static_cast<double>(*r.bytes) / *r.median_s) : "-",
          or_dash(r.bandwidth_share, [](double v) { return fmt::format("{:.0f} %", 100 * v); }),
          speedup,
          or_dash(r.setup_s, seconds_text),
          pays};
}

std::string times(const Results& of_matrix, const Baseline& baseline, bool gpu, bool colour,
                  std::size_t width) {
  Table table({{"kernel"},
               {gpu ? "hot" : "thr", Align::right},
               {gpu ? "cold" : "median", Align::right},
               {"+-", Align::right},
               {"GFLOP/s", Align::right},
               {"GB/s", Align::right},
               {"of read", Align::right},
               {"vs CSR", Align::right},
               {"setup", Align::right},
               {"pays at", Align::right}});
  bool any = false;
  for (auto& [title, group] :
       grouped(of_matrix, [](const Result& r) { return product_named(r); })) {
    std::erase_if(group, [](const Result* r) { return !r->timed(); });
    if (group.empty()) continue;
    std::stable_sort(group.begin(), group.end(),
                     [](const Result* a, const Result* b) { return *a->median_s < *b->median_s; });
    if (any) table.add_gap();
    any = true;
    table.add({Cell(title, Tone::bold)});
    const Result* const csr = baseline.among(group);
    for (const Result* r : group) table.add(row(*r, group, csr, gpu));
  }
  return any ? table.text(colour, width) : "";
}

// Why there is no time, one line a reason.
std::string remarks(const Results& of_matrix, bool colour) {
  std::string text;
  Results without;
  for (const Result* r : of_matrix)
    if (!r->timed()) without.push_back(r);
  const auto reason = [](const Result& r) {
    return fmt::format("{}: {}", r.status == Status::wrong ? "WRONG" : name(r.status), r.reason);
  };
  for (const auto& [why, group] : grouped(without, reason)) {
    std::vector<std::string> who;
    for (const auto& [kernel, cases] : grouped(group, [](const Result& r) { return r.kernel; })) {
      std::set<std::string> ops;
      for (const Result* r : cases) ops.insert(product_named(*r));
      who.push_back(fmt::format("{} ({})", kernel, fmt::join(ops, ", ")));
    }
    const bool bad =
        group.front()->status == Status::wrong || group.front()->status == Status::failed;
    text += toned(why, bad ? Tone::bad : Tone::dim, colour) + "\n";
    for (const std::string& w : who) text += "  " + w + "\n";
  }
  return text;
}

// The blocks that kernels took the matrix in, one line a shape.
std::string shapes(const Results& of_matrix) {
  std::map<std::string, std::set<std::string>> kernels;
  for (const Result* r : of_matrix)
    if (const std::string shape = blocks_text(r->facts); !shape.empty())
      kernels[shape].insert(r->kernel);
  std::string text;
  for (const auto& [shape, who] : kernels)
    text += shape + (kernels.size() == 1 ? "\n" : " (" + several(who) + ")\n");
  return text;
}

// What the plans took, one line a choice.
std::string plans(const Results& of_matrix) {
  Results told;
  for (const Result* r : of_matrix)
    if (!r->plan.empty()) told.push_back(r);
  std::string text;
  for (const auto& [plan, group] : grouped(told, [](const Result& r) { return r.plan; })) {
    std::vector<std::string> who;
    for (const auto& [kernel, cases] : grouped(group, [](const Result& r) { return r.kernel; })) {
      who.push_back(kernel);
      for (const Result* r : cases) who.back() += ' ' + product_named(*r);
    }
    text += fmt::format("{} ({})\n", plan, fmt::join(who, ", "));
  }
  return text;
}

}  // namespace

std::string bench_text(const Record& record, bool colour, std::size_t width) {
  Results all;
  bool planned = false, gpu = false, timed = false;
  std::set<std::string> baselines;
  for (const Result& r : record.results) {
    all.push_back(&r);
    gpu = gpu || r.device != "cpu";
    timed = timed || r.timed();
    planned = planned || r.planned.value_or(false);
  }
  std::string text;
  for (const auto& [matrix, of_matrix] : grouped(all, [](const Result& r) { return r.matrix; })) {
    const Result& r = *of_matrix.front();
    text += toned(matrix, Tone::bold, colour) + fmt::format(": {} x {}, {}\n", count_text(r.rows),
                                                            count_text(r.cols),
                                                            plural(r.nnz, "nonzero", "nonzeros"));
    const Baseline baseline(of_matrix);
    if (!baseline.kernel.empty()) baselines.insert(baseline.text(gpu));
    text += times(of_matrix, baseline, gpu, colour, width) + shapes(of_matrix) + plans(of_matrix) +
            remarks(of_matrix, colour) + "\n";
  }
  std::vector<std::string> memory;
  for (const Bandwidth& b : record.bandwidth)
    memory.push_back(b.device != "cpu" ? fmt::format("{} GB/s on {} (copies {})", rate_text(b.read),
                                                     b.device, rate_text(b.copy))
                                       : fmt::format("{} GB/s on {}", rate_text(b.read),
                                                     plural(b.threads, "thread", "threads")));
  if (!memory.empty()) text += fmt::format("memory reads {}\n", fmt::join(memory, ", "));
  if (record.clocks.is_object() && record.clocks.contains("sm_mhz_lowest")) {
    text += fmt::format("clock {:.0f} to {:.0f} MHz", record.clocks["sm_mhz_lowest"].get<double>(),
                        record.clocks["sm_mhz_highest"].get<double>());
    const auto slowed = record.clocks.value("slowed_by", std::vector<std::string>{});
    text += slowed.empty() ? "\n" : fmt::format(", slowed by {}\n", fmt::join(slowed, ", "));
  }
  if (!timed) return text;
  std::string notes;
  if (gpu)
    notes +=
        "cold: with the cache flushed before each product; hot: one product behind the other. All "
        "else is of cold. ";
  notes +=
      "+-: half the 95 % confidence interval of the median. GB/s: by the kernel's own byte model; "
      "of read: its share of the read bandwidth";
  notes += gpu ? ". " : " on as many threads. ";
  notes += "vs CSR: times as fast as plain CSR";
  if (!baselines.empty()) notes += fmt::format(" ({})", fmt::join(baselines, "; "));
  notes += "; pays at: multiplies after which the setup has paid.";
  constexpr std::size_t usual_width = 105;
  for (const std::string& line : wrapped(notes, width > 0 ? width : usual_width))
    text += line + '\n';
  if (planned) text += "*: what a plan chooses.\n";
  return text;
}

}  // namespace nz::lab
