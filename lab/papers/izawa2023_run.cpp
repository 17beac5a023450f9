#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/ncu.hpp"
#include "lab/bench/source.hpp"
#include "lab/papers/campaign.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/gpu_watch.hpp"
#include "lab/papers/izawa2023.hpp"
#include "lab/papers/matrices.hpp"
#include "lab/papers/recall.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using namespace izawa2023;

// As a share of the paper's matrices; below, the transposed blocks of 128 have nothing to cover.
constexpr index_t fewest_rows = 128;

Setup setup(const Format& format, int block) {
  Setup s{std::string(format.kernel), 1, {}};
  // The paper refuses no matrix, however many blocks or slots it takes.
  if (format.by_block) s.parameters["beta"] = block;
  if (format.by_block || format.label == ell.label || format.label == ell_by_columns.label)
    s.parameters["max_ratio"] = 1'000'000;
  if (!format.parameter.empty()) s.parameters[std::string(format.parameter)] = format.value;
  return s;
}

Measured measured(const Trials<float>& trials, const Recall::Size& a, const Format& format,
                  int block) {
  const Setup s = setup(format, block);
  Measured m{.n = trials.seconds(s, Op::none), .t = trials.seconds(s, Op::transpose)};
  const auto hot = [&](Op op) {
    const Trial* t = trials.find(s, op);
    return !t || t->hot.samples.empty() ? no_figure : t->hot.median();
  };
  m.hot_n = hot(Op::none);
  m.hot_t = hot(Op::transpose);
  const Trial* t = trials.find(s);
  if (!t || !t->prepared) return m;
  if (const auto fill = t->facts.find("fill_ratio"); fill != t->facts.end()) m.fill = fill->second;
  // What a product reads of the matrix is all there is of the paper's formats; ours keeps more.
  if (format.label == tile.label)
    m.bytes = t->bytes > 0 ? static_cast<double>(t->bytes) : no_figure;
  else
    m.bytes = static_cast<double>(t->traffic) - (a.rows + a.cols) * sizeof(float);
  // eCSB's block_row_ptr, which the sum of §2.4.3 counts and no kernel reads.
  if (const auto beta = t->facts.find("beta"); format.label == ecsb.label && beta != t->facts.end())
    m.bytes += std::ceil(a.rows / beta->second) * sizeof(std::uint32_t);
  return m;
}

using Matrix = Csr<float, std::int32_t>;

// The matrix of that name from the folder, if it is there: what its file stores, as the paper
// counts.
std::optional<Matrix> from_folder(const std::string& folder, const std::string& name,
                                  std::int64_t published) {
  if (folder.empty()) return {};
  for (const char* ending : {".mtx", ".mtx.gz", ".mtx.zst", ".nzb"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / (name + ending);
    if (!std::filesystem::exists(path)) continue;
    Source s = load(path.string());
    const bool declared = s.file && s.file->symmetry != Symmetry::general;
    return csr_cast<float, std::int32_t>(
        as_stored(std::move(s.matrix), declared, published).view());
  }
  return {};
}

class Repetition {
 public:
  explicit Repetition(const ExperimentOptions& options)
      : options_(options),
        watch_(options.recall ? GpuWatch(*options.recall) : GpuWatch(options.device)),
        rows_(std::max(
            fewest_rows,
            static_cast<index_t>(std::lround(options.scale * 8192 / fewest_rows)) * fewest_rows)) {
    for (const Format& f : formats)
      if (f.label != tile.label || !match_kernels(f.kernel).empty()) tried_.push_back(f);
    // Records of before have no variants, and what a parameter says today they do not know.
    const auto knows = [&](const Format& f) {
      return !options.recall || f.parameter.empty() ||
             options.recall->has_parameter(f.kernel, f.parameter);
    };
    for (const Format& f : variants)
      if (knows(f)) tried_.push_back(f);
    f_.gcsb_leaves = !knows(gcsb);
    const auto& named = printed()["named"]["matrices"];
    const auto& densities = printed()["random"]["densities"];
    total_ = 1 + named.size() + densities.size();
    ideal();
    for (const auto& m : named) one_named(m);
    for (const auto& d : densities) {
      const std::string density = d;
      const std::string spec = fmt::format("random:rows={0},cols={0},density={1}", rows_, density);
      f_.random.push_back(figures_of("random_" + density, false, spec, made(spec), true));
    }
    f_.device = watch_.info();
    if (options.recall)
      recall_misses(*options.recall);
    else
      count_misses();
  }

  const AllFigures& figures() const { return f_; }
  const DeviceInfo& info() const { return watch_.info(); }
  const std::string& ideal_matrix() const { return ideal_; }
  const std::vector<std::string>& left_out() const { return left_out_; }
  index_t rows() const { return rows_; }
  void add_to(Reproduction& r) const {
    r.results = results_;
    watch_.add_to(r);
  }

 private:
  // Runs all formats with all these sizes of blocks, and hands over the trials. ELL is for rows of
  // about the same length.
  template <class Use>
  void run(const std::string& name, const Matrix& a, std::initializer_list<int> blocks,
           bool with_ell, Use&& use) {
    Trials<float> trials(a.view(), name, options_.gpu_budget, options_.device,
                         {Op::none, Op::transpose}, options_.recall);
    std::vector<Setup> all;
    for (const Format& f : tried_)
      for (const int block : blocks)
        if (f.by_block || block == *blocks.begin()) all.push_back(setup(f, f.by_block ? block : 0));
    if (with_ell)
      for (const Format& f : ells) all.push_back(setup(f, 0));
    trials.in_parts(options_.parts);
    trials.run(all, [&](std::uint64_t, std::uint64_t, std::string_view what) {
      if (options_.tell) options_.tell(begun_, total_, fmt::format("{}: {}", name, what));
    });
    ++begun_;
    watch_.look();
    trials.add_to(results_);
    const Recall::Size size =
        options_.recall ? options_.recall->size_of(name)
                        : Recall::Size{static_cast<double>(a.rows), static_cast<double>(a.cols),
                                       static_cast<double>(a.nnz())};
    use(size, std::as_const(trials));
  }

  ByFormat by_format(const Recall::Size& a, const Trials<float>& trials, int block) const {
    ByFormat by;
    for (const Format& f : tried_)
      by[std::string(f.label)] = measured(trials, a, f, f.by_block ? block : 0);
    for (const Format& f : ells) by[std::string(f.label)] = measured(trials, a, f, 0);
    return by;
  }

  Matrix made(const std::string& spec) const {
    if (options_.recall) return {};
    if (options_.tell) options_.tell(begun_, total_, "generating " + spec);
    std::string said;
    return csr_cast<float, std::int32_t>(
        MatrixCache(options_.cache).generate(spec, said).matrix.view());
  }

  MatrixFigures figures_of(std::string name, bool stand_in, const std::string& source,
                           const Matrix& a, bool with_ell = false) {
    MatrixFigures m{.name = std::move(name), .stand_in = stand_in, .by = {}};
    run(source, a, {chosen_block}, with_ell, [&](const Recall::Size& size, const auto& trials) {
      m.by = by_format(size, trials, chosen_block);
      m.rows = size.rows;
      m.nonzeros = size.nonzeros;
    });
    return m;
  }

  // Tables 4.5 to 4.7. As many nonzeros in each block of 128, and about 5 % in all: with such
  // blocks table 4.7 has no padding, with blocks of 64 it has some.
  void ideal() {
    const std::int64_t blocks = rows_ / balanced_block, cells = std::int64_t{rows_} * rows_;
    const auto share = static_cast<double>(cells) / (8192.0 * 8192.0);
    const std::int64_t nonzeros = std::llround(3'406'208 * share / blocks) * blocks;
    ideal_ = fmt::format("ideal:n={},block={},nnz={}", rows_, balanced_block, nonzeros);
    // Records of before have other blocks.
    if (options_.recall) ideal_ = options_.recall->source_beginning("ideal:");
    const Matrix a = made(ideal_);
    f_.ideal_blocks = options_.recall ? recalled_block_rows(*options_.recall)
                                      : block_rows(a.view(), balanced_block);
    run(ideal_, a, {128, 64, 32, 16, 8}, true, [&](const Recall::Size& size, const auto& trials) {
      for (const int block : block_sizes) f_.ideal[block] = by_format(size, trials, block);
      f_.ideal_rows = size.rows;
      f_.ideal_nonzeros = size.nonzeros;
    });
  }

  // Those that have more nonzeros than the share that was asked for are left out.
  void one_named(const nlohmann::ordered_json& m) {
    const std::string name = m["name"];
    const auto nonzeros = m["nonzeros"].get<std::int64_t>();
    constexpr std::int64_t most = 14'506'196;
    if (static_cast<double>(nonzeros) > options_.scale * most) {
      left_out_.push_back(name);
      ++begun_;
      return;
    }
    const auto source = m.find("source");
    const std::string spec =
        source == m.end() ? "like:" + name : source->template get<std::string>();
    if (options_.recall) {
      // A file's matrix is called by its name there.
      const std::string real = options_.recall->source_beginning(name);
      f_.pictures[name] = recalled_picture(*options_.recall, figure_places, name);
      f_.named.push_back(figures_of(name, real.empty(), real.empty() ? spec : real, {}));
      return;
    }
    const auto real = from_folder(options_.matrices, name, nonzeros);
    const Matrix a = real ? *real : made(spec);
    f_.pictures[name] = picture_of(csr_cast<double, std::int64_t>(a.view()).view());
    f_.named.push_back(figures_of(name, !real, real ? name : spec, a));
  }

  void recall_misses(const Recall& recall) {
    for (const Format& f : {csb_baseline, gcsb})
      for (const std::string& column : {n_of(f.label), t_of(f.label)})
        if (const double k = recall.here(table_misses, a100, column); k == k)
          f_.misses[column] = 1000 * k;
    if (f_.misses.empty()) f_.why_no_misses = "not in the record";
  }

  // Table 4.8.
  void count_misses() {
    for (const Format& f : {csb_baseline, gcsb})
      for (const Op op : all_ops) {
        const Counted c = count_l1_misses({.device = options_.device,
                                           .matrix = "gen:" + ideal_,
                                           .kernel = std::string(f.kernel),
                                           .op = op,
                                           .parameters = {{"beta", chosen_block}}});
        // What was interrupted has counted nothing.
        if (options_.tell) options_.tell(begun_, total_, "counting misses of the L1 cache");
        if (!c.number) {
          f_.why_no_misses = c.why_not;
          return;
        }
        f_.misses[op == Op::none ? n_of(f.label) : t_of(f.label)] = *c.number;
      }
  }

  const ExperimentOptions& options_;
  GpuWatch watch_;
  index_t rows_;
  std::vector<Format> tried_;
  std::string ideal_;
  std::vector<std::string> left_out_;
  std::uint64_t begun_ = 0, total_ = 0;
  nlohmann::ordered_json results_ = nlohmann::ordered_json::array();
  AllFigures f_;
};

}  // namespace

Reproduction reproduce_izawa2023(const ExperimentOptions& options) {
  options.check_scale();
  const bool emulated = options.device.kind == Device::Kind::emulator;
  const Repetition experiment(options);
  const DeviceInfo& device = experiment.info();
  Reproduction r{
      .title = "izawa2023, chapter 4: A x and A' x from one copy on a GPU",
      .facts = {fmt::format("matrices: gen:{}, those of table 4.3 or stand-ins, random ones of {} "
                            "rows; f32",
                            experiment.ideal_matrix(), count_text(experiment.rows())),
                fmt::format("device: {}; the paper: TITAN RTX and A100", device.description),
                emulated ? "no times: the emulator verifies the kernels, and is not for speed"
                         : "times: the median of one product, checked beforehand, with the caches "
                           "flushed before each, and y set to zero in it where atomics add to y; "
                           "the paper times its kernels alone",
                "memory: as the paper's equations count, padding included; of our own format all "
                "that a plan holds"},
      .device = options.device};
  if (!experiment.left_out().empty())
    r.facts.push_back(fmt::format("left out, too large for this scale: {}",
                                  fmt::join(experiment.left_out(), ", ")));
  experiment.add_to(r);
  for (std::string& line : how_it_went(r.results)) r.facts.push_back(std::move(line));
  r.tables = tables(experiment.figures());
  r.claims = claims(experiment.figures(), r.tables);
  conclude(r, options, claims(experiment.figures(), r.tables, true));
  return r;
}

}  // namespace nz::lab
