#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/papers/dinoia2025.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

using namespace dinoia2025;

// Larger ones take gigabytes and minutes to generate.
constexpr double bearable = 60e6;

// Of the paper's CPU programs after 5 to warm up, and of its GPU program after 3.
constexpr int cpu_repeats = 20, gpu_repeats = 10;

std::vector<Contender> contenders(bool sweep, bool emulated) {
  std::vector<Contender> all = {{coo.label, {coo.id}, false},
                                {csr.label, {csr.id}, false},
                                {csr_printed.label, {csr_printed.id}, false}};
  const auto add = [&](const Kernel& k) { all.push_back({k.label, {k.id}}); };
  add(baseline);
  for (const Kernel& k : gpu_kernels()) add(k);
  add(rule);
  add(own);
  // What the program's scans have: 128 threads instead of 1024, two halves of the memory and no
  // padding.
  const Parameters in_blocks{{"threads", 128}}, beside{{"padding", 0}, {"apart", 0}},
      tree{{"padding", 0}, {"apart", 0}, {"halves", 1}, {"threads", 128}};
  const Parameters* settings[] = {&in_blocks, &in_blocks, &tree, &beside};
  for (std::size_t k = 0; k < other_in_program.size(); ++k)
    all.push_back({in_program(other_in_program[k]), {other_in_program[k].id, 1, *settings[k]}});
  all.push_back({counted.label, {counted.id, 1, {{"check", 1}}}});
  all.push_back({counted_once, {counted.id, 1, {{"check", 0}}}});
  if (!sweep) return all;
  // The emulator pays for every thread, and has nothing to choose by.
  const auto tried = [&](int n) { return !emulated || n == 64 || n == 256; };
  for (const Kernel& k : maps) {
    for (const int n : block_sizes)
      if (tried(n))
        all.push_back({with_threads(k.label, n), {k.id, 1, {{"threads", n}, {"blocks", 256}}}});
    for (const int n : block_counts)
      if (tried(n))
        all.push_back({with_blocks(k.label, n), {k.id, 1, {{"threads", 1024}, {"blocks", n}}}});
  }
  return all;
}

// The paper's processor: a first cache of 32 KiB a core, and all of its third.
const SimulatedCaches epyc_9334{"32768,8,64", "134217728,16,64"};

// What a note of table IV in a record says behind such a beginning, but for the full stop.
std::string noted(const Recall& from, std::string_view said) {
  for (const auto& table : from.record()["tables"])
    if (table.at("title").get<std::string>().starts_with("Table IV"))
      for (const std::string note : table.at("notes"))
        if (const auto at = note.find(said); at != note.npos)
          return note.substr(at + said.size(), note.size() - at - said.size() - 1);
  return "not in the record";
}

// Table IV from a record.
void recall_misses(AllFigures& f, const Recall& from) {
  const auto counts = [&](const Kernel& k) -> std::optional<CacheCounts> {
    const auto of = [&](const char* column) {
      return from.here("Table IV", k.label, column) / products;
    };
    if (of("D Refs") != of("D Refs")) return {};
    return CacheCounts{of("D Refs"), of("D1 misses"), of("LLd misses"),
                       noted(from, "Simulated here: ")};
  };
  f.coo_counts = counts(coo);
  f.csr_counts = counts(csr);
  if (!f.coo_counts) f.why_no_counts = noted(from, "Not counted here: ");
}

// Table IV.
void count_misses(AllFigures& f, const ExperimentOptions& options, const std::string& source) {
  // Told before and after: what was interrupted has counted nothing.
  const auto tell = [&] {
    if (options.tell) options.tell(0, 1, "counting cache misses under valgrind");
  };
  tell();
  if (options.budget.seconds <= 0) {
    f.why_no_counts = "no time for it (--seconds 0)";
    return;
  }
  // Counts of a product do not depend on how many there are: a fifth of the paper's is enough.
  const auto count = [&](const Kernel& k) {
    const CountedCache c = count_cache(source, k.id, products / 5, epyc_9334);
    tell();
    if (!c.product) f.why_no_counts = c.why_not;
    return c.product;
  };
  f.coo_counts = count(coo);
  if (f.coo_counts) f.csr_counts = count(csr);
}

}  // namespace

Reproduction reproduce_dinoia2025(const ExperimentOptions& given) {
  given.check_scale();
  const ExperimentOptions options = repeated(given, cpu_repeats, gpu_repeats);
  const auto& named = printed("dinoia2025")["matrices"];
  Campaign<float> campaign(options, named.size());
  AllFigures f;
  std::string smallest;  // where the matrix of table IV is from
  for (const auto& m : named) {
    const std::string label = m["label"], name = m["name"];
    const double published = printed_figure("dinoia2025", "Table II", label, "nonzeros");
    const bool there = options.recall ? !options.recall->source_of(name).empty()
                                      : options.scale * published <= bearable || options.all;
    if (!there) {
      f.matrices.push_back(
          campaign.left_out(label, fmt::format("{} nonzeros; --all measures it",
                                               count_text(static_cast<std::int64_t>(published)))));
      continue;
    }
    PaperMatrix a = campaign.matrix(name, published,
                                    m["half"].get<bool>() ? Symmetric::half : Symmetric::whole);
    a.name = label;
    if (label == "model7") smallest = a.source;
    f.spies[label] = options.recall ? recalled_picture(*options.recall, figure_places, label)
                                    : picture_of(a.matrix.view());
    f.matrices.push_back(campaign.measure(a, contenders(label == swept, campaign.emulated())));
    if (options.recall &&
        options.recall->find(a.source, {sums[0].id, 1, {{"in_place", 0}}}, Op::none, true))
      f.other_half = true;
  }
  if (options.recall)
    recall_misses(f, *options.recall);
  else
    count_misses(f, options, smallest);
  Reproduction r{
      .title = "dinoia2025, section VI: COO on a CPU and on a GPU",
      .facts =
          {campaign.has_gpu()
               ? fmt::format("device: {}, and one thread of the CPU; the paper: A30, EPYC 9334",
                             campaign.watch()->info().description)
               : std::string("device: one thread of the CPU; the paper: EPYC 9334"),
           "matrices: those of table II; mycielskian16 is exact; f32",
           campaign.emulated()
               ? "no times of the GPU: the emulator verifies the kernels, and is not for speed"
               : "times: the median of one product, checked beforehand, on a GPU with the "
                 "caches flushed before each and y set to zero in it, of 20 at least and 10 on a "
                 "GPU; the paper: the mean of 20 after 5, on the GPU of 10 after 3",
           "GB/s: as the paper counts, 24 bytes a nonzero for either format and every kernel"},
      .device = options.device};
  campaign.add_to(r);
  if (campaign.has_gpu()) f.device = campaign.watch()->info();
  r.tables = tables(f);
  r.claims = claims(f);
  conclude(r, options, claims(f, true));
  return r;
}

}  // namespace nz::lab
