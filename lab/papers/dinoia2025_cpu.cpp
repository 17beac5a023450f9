#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nonzero/generate.hpp>

#include "lab/papers/experiments.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

// Table III of dinoia2025: milliseconds, and GB/s counting six words of 4 bytes a nonzero.
struct Dataset {
  const char* label;
  const char* matrix;
  std::int64_t nonzeros;  // of table II
  double coo_ms, coo_rate, csr_ms, csr_rate;
};
constexpr Dataset datasets[] = {
    {"circuit", "circuit5M_dc", 14'000'000, 22.71, 20.28, 10.12655, 45.49},
    {"delaunay", "delaunay_n23", 50'000'000, 74.83, 16.14, 72.76855, 16.60},
    {"europe", "europe_osm", 108'000'000, 331.19, 7.83, 332.649, 7.80},
    {"hugetrace", "hugetrace-00000", 6'900'000, 10.63, 15.54, 10.62155, 15.54},
    {"mawi", "mawi_201512020330", 480'000'000, 1015.80, 11.34, 282.75595, 40.75},
    {"model7", "model7", 51'000, 0.12, 10.27, 0.02405, 50.92},
    {"mouse", "mouse_gene", 29'000'000, 88.93, 7.82, 21.93315, 31.70},
    {"mycielskian", "mycielskian16", 33'000'000, 102.37, 32.16, 24.88275, 32.20}};
constexpr double bytes_a_nonzero = 6 * 4;

// Larger ones take gigabytes and minutes to generate.
constexpr std::int64_t bearable = 60'000'000;

struct Column {
  const char* format;
  const char* kernel;
};
constexpr Column columns[] = {{"COO", "cpu/coo/scatter"}, {"CSR", "cpu/csr/serial"}};

std::string ms(const char* format) { return fmt::format("{} (ms)", format); }
std::string rate(const char* format) { return fmt::format("{} (GB/s)", format); }

// Milliseconds of COO over those of CSR.
double gain(const Figures& f) { return figure(f, ms("COO")) / figure(f, ms("CSR")); }

template <class Combine>
double over_lines(const Comparison& c, bool here, Combine&& combine) {
  double all = no_figure;
  for (const Comparison::Line& l : c.lines) {
    // Only where we have a figure too, so that both sides speak of the same matrices.
    if (std::isnan(gain(l.here))) continue;
    const double one = gain(here ? l.here : l.paper);
    all = std::isnan(all) ? one : combine(all, one);
  }
  return all;
}

double mean_gain(const Comparison& c, bool here) {
  int count = 0;
  const double sum = over_lines(c, here, [&](double a, double b) { return a + b; });
  for (const Comparison::Line& l : c.lines) count += !std::isnan(gain(l.here));
  return sum / count;
}

std::vector<Claim> claims(const Comparison& c) {
  const auto above = [](double limit) { return [=](double v) { return v > limit; }; };
  const auto most = [](double a, double b) { return std::max(a, b); };
  const auto least = [](double a, double b) { return std::min(a, b); };
  std::vector<Claim> all = {
      Claim::judge("CSR is faster on average (mean of COO over CSR)", mean_gain(c, false),
                   mean_gain(c, true), above(1.1)),
      Claim::judge("by several times at best (largest COO over CSR)", over_lines(c, false, most),
                   over_lines(c, true, most), above(2)),
      Claim::judge("and never clearly slower (smallest COO over CSR)", over_lines(c, false, least),
                   over_lines(c, true, least), above(0.95))};
  // Few entries a row compress the least: the gain should follow the row's length.
  const auto pair = [&](bool here) {
    const Comparison::Line &dense = c.line("mouse"), &sparse = c.line("hugetrace");
    return gain(here ? dense.here : dense.paper) / gain(here ? sparse.here : sparse.paper);
  };
  all.push_back(
      Claim::judge("long rows gain more than short ones (the gain of mouse over that of hugetrace)",
                   pair(false), pair(true), above(1.2)));
  return all;
}

}  // namespace

Reproduction reproduce_dinoia2025_cpu(const ExperimentOptions& options) {
  Reproduction r{
      .title = "dinoia2025, section VI-A: COO and CSR on one thread",
      .facts = {"matrices: stand-ins with the published sizes and row lengths (like:NAME), "
                "but for mycielskian16, which is exact; single precision",
                "times: the median of one product, checked beforehand; the paper: the mean "
                "of 20 on an EPYC 9334",
                "GB/s: as the paper counts, 24 bytes a nonzero for either format"}};
  Comparison c{.title = "Table III: CPU implementations",
               .corner = "dataset",
               .columns = {ms("COO"), rate("COO"), ms("CSR"), rate("CSR")},
               .layout = Comparison::Layout::beside};
  std::uint64_t begun = 0;
  for (const Dataset& d : datasets) {
    Comparison::Line line{d.label,
                          {},
                          {{ms("COO"), d.coo_ms},
                           {rate("COO"), d.coo_rate},
                           {ms("CSR"), d.csr_ms},
                           {rate("CSR"), d.csr_rate}}};
    if (options.tell) options.tell(begun, std::size(datasets), d.matrix);
    ++begun;
    const double wanted = static_cast<double>(d.nonzeros);
    if (wanted > options.scale * bearable && !options.all) {
      c.notes.push_back(fmt::format("{}: left out, {} nonzeros; --all measures it", d.label,
                                    count_text(d.nonzeros)));
      c.lines.push_back(std::move(line));
      continue;
    }
    const auto a =
        csr_cast<float, std::int32_t>(generate(fmt::format("like:{}", d.matrix)).matrix.view());
    Trials<float> trials(a.view(), d.matrix, options.budget);
    std::vector<Setup> setups;
    for (const Column& k : columns) setups.push_back({k.kernel});
    trials.run(setups, {});
    for (const Column& k : columns) {
      const double seconds = trials.seconds({k.kernel});
      line.here[ms(k.format)] = 1e3 * seconds;
      line.here[rate(k.format)] = bytes_a_nonzero * static_cast<double>(a.nnz()) / seconds / 1e9;
    }
    trials.add_to(r.results);
    c.lines.push_back(std::move(line));
  }
  c.notes.push_back(
      "The paper's COO rate of mycielskian does not follow from its time, which gives 7.83 GB/s.");
  r.claims = claims(c);
  r.tables.push_back(std::move(c));
  return r;
}

}  // namespace nz::lab
