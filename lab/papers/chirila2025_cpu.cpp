#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <nonzero/generate.hpp>
#include <nonzero/threads.hpp>

#include "lab/papers/campaign.hpp"
#include "lab/papers/chirila2025.hpp"
#include "lab/papers/chirila2025_claims.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/recall.hpp"
#include "lab/report/spy.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using namespace chirila2025;
using Layout = Comparison::Layout;

// 1, 2, 4, ..., all processors, and twice as many, as the paper's 64 threads on 32.
std::vector<int> thread_counts(int cpus) {
  std::vector<int> counts;
  for (int n = 1; n < cpus; n *= 2) counts.push_back(n);
  counts.push_back(cpus);
  counts.push_back(2 * cpus);
  return counts;
}

// The paper's chunks a thread, and more where there are fewer threads, so that in the end there are
// as many tasks in all as in its largest case.
std::vector<int> chunk_counts(int threads) {
  std::vector<int> counts = {1, 8, 32, 64, 128, 256, 512, 1024, 2048};
  const int equal = logical_cpus * counts.back() / threads;
  for (int n = 4 * counts.back(); n < equal; n *= 4) counts.push_back(n);
  if (equal > counts.back()) counts.push_back(equal);
  return counts;
}

std::int64_t memory_mib() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) >> 20;
}

Setup setup(const Implementation& what, int threads, int chunks, std::int64_t dense_mib) {
  Setup s{
      what.kernel, threads, {{"block_rows", block}, {"block_cols", block}, {"max_lines", rows}}};
  if (what.chunked || what.kernel == adapted.kernel) s.parameters["chunks_per_thread"] = chunks;
  // The dense matrix is the paper's own yardstick: let it have up to half of the memory.
  if (dense_mib < memory_mib() / 2) s.parameters["max_mib"] = dense_mib + 1;
  return s;
}

std::vector<std::string> names(const std::vector<int>& counts, const Figures& paper) {
  std::set<int> all(counts.begin(), counts.end());
  for (const auto& [column, value] : paper) all.insert(std::stoi(column));
  std::vector<std::string> text;
  for (const int n : all) text.push_back(std::to_string(n));
  return text;
}

// Further runs than the first are made while there is time.
Budget method(const ExperimentOptions& options) {
  return options.batch == 0 ? options.budget : in_batches(options.budget, options.batch, 1);
}

class Repetition {
 public:
  Repetition(const CsrView<double, std::int32_t>& a, const std::string& matrix,
             const ExperimentOptions& options)
      : trials_(a, matrix, method(options), cpu_device, {Op::none}, options.recall),
        dense_mib_(static_cast<std::int64_t>(a.rows) * a.cols * 8 >> 20),
        // Half of the threads of a record are those that its machine has.
        cpus_(options.recall ? std::max(1, options.recall->threads() / 2) : nz::threads()) {
    if (options.batch > 0) trials_.scale_by(alpha, beta);
    trials_.in_parts(options.parts);
    std::vector<Setup> all;
    for (const Implementation& what : implementations)
      for (const int n : thread_counts(cpus_))
        if (what.threaded || n == 1) all.push_back(at(what, n));
    for (const int n : thread_counts(cpus_)) all.push_back(at(adapted, n));
    std::set<int> counts{cpus_, half()};
    for (const int n : {logical_cpus, logical_cpus / 2})
      if (n <= 2 * cpus_) counts.insert(n);
    for (const int n : counts)
      for (const Implementation& what : implementations)
        if (what.chunked)
          for (const int chunks : chunk_counts(n)) all.push_back(at(what, n, chunks));
    trials_.run(all, options.tell);
  }

  Comparison table_1() const {
    Comparison c{.title = fmt::format("Table 1 and figure 2: seconds for {} products", products),
                 .corner = "threads",
                 .columns = names(thread_counts(cpus_), table(1)[1].second)};
    const auto lines = table(1);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      Comparison::Line line{lines[k].first, {}, lines[k].second};
      for (const int n : thread_counts(cpus_))
        line.here[std::to_string(n)] = seconds(implementations[k], n);
      c.lines.push_back(std::move(line));
      const std::string missing = trials_.missing(implementations[k].kernel);
      if (!missing.empty()) c.notes.push_back(fmt::format("{}: {}", lines[k].first, missing));
    }
    return c;
  }

  // Tables 2 and 3: on all processors and on half of them, as there; and, where that is another
  // number and no more than twice the processors, on as many threads as there.
  std::vector<Comparison> granularity(int number) const {
    const int usual = number == 2 ? cpus_ : half(), theirs = logical_cpus / (number == 2 ? 1 : 2);
    std::vector<Comparison> all = {granularity(number, usual, theirs)};
    if (usual == theirs) return all;
    Comparison like = granularity(number, theirs, theirs);
    const auto measured = [](const Comparison::Line& l) {
      return std::any_of(l.here.begin(), l.here.end(),
                         [](const auto& f) { return !std::isnan(f.second); });
    };
    // Records of before have them only where they are among the others.
    if (std::any_of(like.lines.begin(), like.lines.end(), measured))
      all.push_back(std::move(like));
    else if (theirs > 2 * cpus_)
      all.back().notes.push_back(fmt::format(
          "{} threads, as in the paper, are more than twice the processors used here.", theirs));
    return all;
  }

  Comparison table_5() const {
    const auto paper = table(5);
    Comparison c{.title = fmt::format(
                     "Table 5 and figure 5: seconds for {} products, the kernel adapted for "
                     "porting against the one it comes from",
                     products),
                 .corner = "threads",
                 .columns = {paper[0].first, paper[1].first},
                 .layout = Layout::beside};
    for (const std::string& n : names(thread_counts(cpus_), paper[0].second)) {
      Comparison::Line line{n, {}, {}};
      for (std::size_t k = 0; k < 2; ++k) {
        line.paper[paper[k].first] = figure(paper[k].second, n);
        line.here[paper[k].first] =
            seconds(k == 0 ? std::end(implementations)[-1] : adapted, std::stoi(n));
      }
      c.lines.push_back(std::move(line));
    }
    return c;
  }

  // Ours are the times of table 5, each divided by the next; the paper's are those that it prints.
  static Comparison table_6(const Comparison& table_5) {
    Comparison c{.title = "Table 6: speedup of twice the threads",
                 .corner = "threads",
                 .columns = table_5.columns,
                 .layout = Layout::beside};
    for (const Comparison::Line& from : table_5.lines)
      for (const Comparison::Line& to : table_5.lines) {
        if (std::stoi(to.label) != 2 * std::stoi(from.label)) continue;
        Comparison::Line line{fmt::format("{} to {}", from.label, to.label), {}, {}};
        for (const std::string& column : c.columns)
          line.here[column] = figure(from.here, column) / figure(to.here, column);
        for (const auto& [label, printed] : table(6))
          if (label == line.label) line.paper = printed;
        c.lines.push_back(std::move(line));
      }
    c.notes.push_back(
        "The paper's are as it prints them; from the rounded times of its table 5 some differ in "
        "the third digit (2 to 4: 1.804 for 1.807).");
    return c;
  }

  void add_to(nlohmann::ordered_json& results) const { trials_.add_to(results); }
  int cpus() const { return cpus_; }
  int half() const { return std::max(1, cpus_ / 2); }

 private:
  static constexpr int usual_chunks = 8;

  Comparison granularity(int number, int threads, int theirs) const {
    const auto lines = table(number);
    Comparison c{
        .title = fmt::format("Table {0} and figure {1}{2}: seconds for {3} products by chunks a "
                             "thread, on {4} (paper: {5} threads)",
                             number, number + 1, threads == theirs ? ", as many threads" : "",
                             products, plural(threads, "thread", "threads"), theirs),
        .corner = "chunks to threads ratio",
        .columns = names(chunk_counts(threads), lines[0].second)};
    for (const auto& [label, paper] : lines) {
      const auto* what = std::find_if(std::begin(implementations), std::end(implementations),
                                      [&, l = label](const auto& i) { return i.label == l; });
      Comparison::Line line{label, {}, paper};
      for (const int chunks : chunk_counts(threads))
        line.here[std::to_string(chunks)] = seconds(*what, threads, chunks);
      c.lines.push_back(std::move(line));
    }
    const int last = chunk_counts(threads).back();
    if (last > 2048)
      c.notes.push_back(fmt::format(
          "{} chunks a thread are as many tasks in all as the paper's 2048 on {} threads.", last,
          logical_cpus));
    return c;
  }

  Setup at(const Implementation& what, int threads, int chunks = usual_chunks) const {
    return setup(what, threads, chunks, dense_mib_);
  }
  double seconds(const Implementation& what, int threads, int chunks = usual_chunks) const {
    return products * trials_.seconds(at(what, threads, chunks));
  }

  Trials<double> trials_;
  std::int64_t dense_mib_;
  int cpus_;
};

// §5.1.3, of blocks that are full.
Comparison footprint(std::int64_t n, std::int64_t nonzeros) {
  const auto [label, paper] = table_of_section().front();
  const double dense = 8e-6 * static_cast<double>(n) * static_cast<double>(n);
  const auto blocks = static_cast<double>(nonzeros / (block * block));
  const double values = 8e-6 * static_cast<double>(nonzeros), columns = 4e-6 * blocks,
               pointers = 4e-3 * static_cast<double>(n / block + 1);
  const double all = values + columns + 1e-3 * pointers;
  Comparison c{.title = "Section 5.1.3: memory footprint",
               .corner = "matrix",
               .columns = {"dense (MB)", "blocks", "values (MB)", "row pointers (KB)",
                           "block indices (MB)", "BSR (MB)", "share of dense"},
               .lines = {{label,
                          {{"dense (MB)", dense},
                           {"blocks", blocks},
                           {"values (MB)", values},
                           {"row pointers (KB)", pointers},
                           {"block indices (MB)", columns},
                           {"BSR (MB)", all},
                           {"share of dense", all / dense}},
                          paper}}};
  c.styles = {{"blocks", Style::count}, {"share of dense", Style::percent}};
  c.notes.push_back("The paper gives the block indices in MiB; its sum takes them as MB.");
  return c;
}

}  // namespace

Reproduction reproduce_chirila2025_cpu(const ExperimentOptions& options) {
  options.check_scale();
  const long n = std::max(20L, std::lround(options.scale * rows / block)) * block;
  const std::string spec = fmt::format("block-band:n={},block={}", n, block);
  if (options.tell) options.tell(0, 1, "generating " + spec);
  GeneratedMatrix made = generate(spec).matrix;
  const std::string picture = spy_text(made.view(), 44, 22, Glyphs::braille);
  const auto a = csr_with_offsets<std::int32_t>(std::move(made));

  const Repetition experiment(a.view(), spec, options);
  Reproduction r{
      .title = "chirila2025, chapter 6: BSR on the CPU",
      .facts = {fmt::format("matrix: gen:{}, {} nonzeros in dense blocks of {} x {}", spec,
                            count_text(a.nnz()), block, block),
                fmt::format("threads: up to {}, twice the processors used; the paper: up "
                            "to 64 on a Xeon Gold 6326 (16 cores, 32 threads)",
                            2 * experiment.cpus()),
                options.batch == 0
                    ? fmt::format("times: {} times the median of one product, y = A x, checked "
                                  "beforehand; 8 chunks a thread where nothing else is said",
                                  products)
                    : fmt::format("times: the median of up to {}, checked beforehand; 8 chunks a "
                                  "thread where nothing else is said",
                                  about_batches(options.batch)),
                "the band is contiguous: the paper does not say where in a row its blocks are"}};
  r.about["batch"] = options.batch;
  if (n != rows)
    r.facts.push_back(fmt::format("the paper's matrix has {} rows: compare shapes, not seconds",
                                  count_text(rows)));
  r.tables = {{.title = "Figure 1: the pattern of the matrix",
               .corner = "matrix",
               .columns = {},
               .lines = {},
               .notes = {fmt::format("```\n{}```", picture)}},
              footprint(a.rows, a.nnz()),
              experiment.table_1()};
  for (const int number : {2, 3})
    for (Comparison& c : experiment.granularity(number)) r.tables.push_back(std::move(c));
  r.tables.push_back(experiment.table_5());
  r.tables.push_back(Repetition::table_6(r.tables.back()));
  r.claims = chirila2025::claims(r.tables, experiment.cpus());
  experiment.add_to(r.results);
  for (std::string& line : how_it_went(r.results)) r.facts.push_back(std::move(line));
  conclude(r, options);
  return r;
}

}  // namespace nz::lab
