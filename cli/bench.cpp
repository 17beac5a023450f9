#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "cli/attempts.hpp"
#include "cli/bench_batch.hpp"
#include "cli/bench_complex.hpp"
#include "cli/commands.hpp"
#include "cli/counting.hpp"
#include "cli/kernels.hpp"
#include "cli/lists.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/reporter.hpp"
#include "cli/session.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/glob.hpp"
#include "lab/bench/host_cost.hpp"
#include "lab/bench/machine.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/bench/runner.hpp"
#include "lab/report/bench_text.hpp"
#include "lab/report/csv.hpp"
#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::vector<std::string> matrices;
  std::string suite, scale = "large", only, cache;
  std::string kernels, source, without, ops, types, threads;
  std::vector<std::string> parameters;
  double noise_percent = 2, time_limit = std::numeric_limits<double>::quiet_NaN();
  double alpha = 1, beta = 0;
  int max_samples = 200, buffer_mib = 0, products = 1, batch = 0, together = 0, rounds = 1;
  bool pin = false, resume = false, profile = false, host_cost = false, complex = false;
  std::string csv;
  std::string vectors = "1", layout = "rows";
  std::string store_values_as = "exact";

  StoredValues stored() const { return stored_values_named(store_values_as); }
};

// What nobody said is as the suite says, or else as usual.
void settle(Options& o, const lab::SuiteOptions& suite) {
  const auto settle_one = [](std::string& value, const std::optional<std::string>& said,
                             const char* usual) {
    if (value.empty()) value = said.value_or(usual);
  };
  // Who names kernels or sources wants them, whatever the suite has and leaves out.
  if (o.kernels.empty() && o.source.empty()) {
    settle_one(o.without, suite.without, "");
    settle_one(o.kernels, suite.kernels, "");
  }
  settle_one(o.ops, suite.ops, "N,T");
  if (o.stored() == StoredValues::exact)
    settle_one(o.types, suite.types, "f64");
  else
    settle_one(o.types, {}, name(lab::vectors_with(o.stored())).data());
  if (std::isnan(o.time_limit)) o.time_limit = suite.time_limit.value_or(1);
}

std::vector<lab::SuiteMatrix> matrices_of(const Options& o, std::vector<lab::SuiteMatrix> all) {
  for (const std::string& m : o.matrices) all.push_back(lab::named_matrix(m));
  if (!o.only.empty()) {
    const auto patterns = split_list(o.only, "--only");
    std::erase_if(all, [&](const auto& m) { return !lab::matches_any(m.name, patterns); });
  }
  if (all.empty())
    throw InvalidArgument(o.only.empty() ? "name a MATRIX or a --suite"
                                         : fmt::format("--only {} leaves no matrix", o.only));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].name == all[j].name)
        throw InvalidArgument(
            all[i].source == all[j].source
                ? fmt::format("{} is given twice", all[i].source)
                : fmt::format("{} and {} are both named {}: write NAME={} for one of them",
                              all[j].source, all[i].source, all[i].name, all[i].source));
  return all;
}

// "plan" among the patterns is no kernel, but what a plan takes; "own" are those of no paper and no
// other library.
bool any_peer(Device device) {
  return std::any_of(nz::kernels().begin(), nz::kernels().end(), [&](const Kernel& k) {
    return k.family == "peer" && k.runs_on_device(device.kind);
  });
}

struct Patterns {
  bool plan = false;
  std::vector<const Kernel*> kernels;

  Patterns(const std::string& wanted, const std::string& without, Device device) {
    if (wanted.empty()) {
      plan = true;
      kernels = parse_kernels(wanted, without, device);
      return;
    }
    std::vector<std::string> others;
    for (const std::string& pattern : split_list(wanted, "--kernels"))
      if (pattern == "plan") {
        plan = true;
      } else if (pattern == "own") {
        for (const Kernel& k : nz::kernels())
          if (k.source == "own" && k.runs_on_device(device.kind)) others.push_back(k.id());
      } else if (pattern != "peer/*" || any_peer(device)) {
        others.push_back(pattern);  // a build without peers is as good
      }
    if (others.empty() && !plan) others.push_back(wanted);  // and that is an error
    if (!others.empty())
      kernels = parse_kernels(fmt::format("{}", fmt::join(others, ",")), without, device);
  }
};

// One vector lies the same way in both layouts.
std::vector<lab::VectorSet> vector_sets(const Options& o) {
  std::vector<lab::VectorSet> all;
  for (const int count : parse_vectors(o.vectors))
    for (const Layout layout : parse_layouts(o.layout)) {
      const lab::VectorSet set{count, layout};
      if (std::find(all.begin(), all.end(), set) == all.end()) all.push_back(set);
    }
  return all;
}

// Also fills in what nobody said.
lab::Order order_of(Options& o, Device device) {
  lab::Suite suite;
  if (!o.suite.empty()) {
    suite = lab::read_suite(o.suite, o.scale);
    o.suite = suite.file;
  }
  const bool named = !o.kernels.empty();
  const bool chosen = named || !o.source.empty() || !o.without.empty();
  settle(o, suite.options);
  Patterns patterns(o.kernels, o.without, device);
  if (!o.source.empty()) {
    if (patterns.kernels.empty())
      throw InvalidArgument(fmt::format(
          "--source {}: a plan has no source; name kernels, or leave --kernels out", o.source));
    patterns.plan = false;
    auto anywhere = match_kernels("*");
    keep_sources(anywhere, o.source);
    only_on(device, std::move(anywhere), o.source);  // or says where they do run
    keep_sources(patterns.kernels, o.source);
  }
  const auto spmm = [](const std::string& text) { return text.find("spmm") != text.npos; };
  lab::Order order{.device = device,
                   .kernels = std::move(patterns.kernels),
                   .plan = patterns.plan,
                   .vectors = vector_sets(o),
                   .named = named,
                   .named_spmm = named && spmm(o.kernels),
                   .ops = parse_ops(o.ops),
                   .types = parse_types(o.types),
                   .threads = {nz::threads()}};
  if (!o.threads.empty()) order.threads = parse_threads(o.threads);
  if (device != cpu_device) order.threads = {1};
  order.store_values_as = o.stored();
  for (const ValueType type : order.types) check_stored_values(order.store_values_as, type);
  order.parameters = parse_parameters(o.parameters);
  if (!(o.noise_percent >= 0)) throw InvalidArgument("--noise: must not be negative");
  if (!(o.time_limit >= 0)) throw InvalidArgument("--time-limit: must not be negative");
  order.budget = {.warm_up_seconds = std::min(0.02, o.time_limit / 10),
                  .seconds = o.time_limit,
                  .min_samples = std::min(3, o.max_samples),
                  .max_samples = o.max_samples,
                  .noise = o.noise_percent / 100,
                  .sample_seconds = 50e-6};
  order.buffer_bytes = static_cast<std::size_t>(o.buffer_mib) << 20;
  order.products = o.products;
  order.rounds = o.rounds;
  order.alpha = o.alpha;
  order.beta = o.beta;
  if (o.together > 0) {
    order.budget.runs_per_sample = o.together;
    order.budget.min_samples = 1;
  }
  const bool as_usual = o.alpha == 1 && o.beta == 0 && o.together == 0;
  const bool several = order.vectors != std::vector<lab::VectorSet>{{}};
  if (!as_usual && (o.host_cost || o.profile || o.complex || o.batch > 0 || several))
    throw InvalidArgument(
        "--alpha, --beta and --together are of products with one vector that are timed: no "
        "--vectors, --batch, --complex, --profile or --host-cost");
  if (o.rounds > 1 &&
      (device != cpu_device || o.profile || o.host_cost || o.complex || o.batch > 0))
    throw InvalidArgument(
        "--rounds is of products on the CPU: no --device, --batch, --complex, --profile or "
        "--host-cost");
  if (o.complex &&
      (several || o.resume || o.pin || !o.csv.empty() || o.profile || o.host_cost || o.batch > 0))
    throw InvalidArgument(
        "--complex is of single products, in a record of its own: no --vectors, --resume, --pin, "
        "--csv, --profile, --host-cost or --batch");
  if (o.complex && (chosen || !o.parameters.empty() || o.stored() != StoredValues::exact))
    throw InvalidArgument(
        "--complex takes every kernel that has complex numbers, as it is: no --kernels, --source, "
        "--without, --param or --store-values-as");
  lab::jobs(order);  // wrong parameters show now
  order.matrices = matrices_of(o, std::move(suite.matrices));
  for (const auto& m : order.matrices) lab::check_source(m.source);
  // Records tell the rounded matrix from the one that was given.
  if (o.stored() != StoredValues::exact)
    for (auto& m : order.matrices) m.name += fmt::format(" as {}", name(o.stored()));
  return order;
}

// `now` is a record of this program without results; with --resume, the one before is returned.
lab::Record start_record(const Session& session, const Options& o, lab::Record now, bool pinned,
                         const lab::GrowingFile& file) {
  now.settings = {{"noise", o.noise_percent / 100},
                  {"time_limit_s", o.time_limit},
                  {"max_samples", o.max_samples},
                  {"pinned", pinned},
                  {"device", session.device.empty() ? "cpu" : session.where().name()},
                  {"vectors", o.vectors},
                  {"layout", o.layout},
                  {"store_values_as", o.store_values_as},
                  {"suite", o.suite},
                  {"scale", o.suite.empty() ? "" : o.scale}};
  if (o.alpha != 1) now.settings["alpha"] = o.alpha;
  if (o.beta != 0) now.settings["beta"] = o.beta;
  if (o.together > 0) now.settings["together"] = o.together;
  if (o.rounds > 1) now.settings["rounds"] = o.rounds;
  if (!o.resume) return now;
  if (session.json.empty() || session.json == "-")
    throw InvalidArgument("--resume needs --json FILE, the record to go on with");
  if (file.before().empty()) return now;
  lab::Record before = lab::read_record(file.before());
  lab::require_same_origin(before, now);
  status("going on with {}: it has {}", file.before().string(),
         lab::plural(static_cast<std::int64_t>(before.results.size()), "result", "results"));
  return before;
}

std::string times_text(std::size_t n) { return n == 1 ? "once" : fmt::format("{} times, each", n); }

int profile(const Session& session, const lab::Order& order) {
  if (!session.json.empty())
    throw InvalidArgument("--profile measures nothing to record: no --json");
  if (order.kernels.empty()) throw InvalidArgument("--profile needs a kernel by its own name");
  Reporter reporter(session, lab::GrowingFile(""));
  lab::profile(order, reporter, [&](const lab::SuiteMatrix& m, const lab::Trial& t) {
    session.say("{} {} {} {} on {}: {}\n", m.name, t.kernel->id(), name(t.type), name(t.op),
                lab::plural(t.threads, "thread", "threads"),
                t.status == lab::Status::ok && t.timing.samples.empty() ? "multiplied"
                : t.status == lab::Status::ok
                    ? fmt::format("multiplied {} in {}", times_text(t.timing.samples.size()),
                                  lab::seconds_text(t.timing.median()))
                    : fmt::format("{}: {}", name(t.status), counted_from_one(t.reason)));
  });
  return ok;
}

// Of the kernels that a plan may choose, unless some are named.
int host_cost(const Session& session, bool any_kernel, const lab::Order& order) {
  std::vector<const Kernel*> kernels = order.kernels;
  if (any_kernel) std::erase_if(kernels, [](const Kernel* k) { return !is_planned(*k); });
  const lab::Commit commit = lab::commit();
  nlohmann::ordered_json all{{"commit", commit.id},
                             {"dirty", commit.dirty},
                             {"machine", lab::describe_machine(order.device)},
                             {"device", order.device.name()},
                             {"matrices", nlohmann::ordered_json::array()}};
  for (const lab::SuiteMatrix& m : order.matrices) {
    const lab::Source source = session.load(m.source);
    const auto a = csr_cast<double, std::int32_t>(source.matrix.view());
    const lab::HostCosts costs = lab::host_costs(order.device, a.view(), kernels, order.ops);
    using lab::Align;
    lab::Table t({{"kernel"},
                  {"op"},
                  {"multiply", Align::right},
                  {"enqueue", Align::right},
                  {"over a launch", Align::right}});
    const auto ns = [](double seconds) { return fmt::format("{:.0f} ns", seconds * 1e9); };
    const double launch = costs.launch.samples.empty() ? 0 : costs.launch.median();
    for (const lab::HostCost& c : costs.products)
      t.add({c.kernel->id(), std::string(name(c.op)), ns(c.multiply.median()),
             ns(c.enqueue.median()), ns(c.enqueue.median() - launch)});
    session.say("{}: what a call costs the host on {}; a launch of nothing {}\n", m.name,
                order.device.name(), ns(launch));
    session.print(t);
    auto one = describe(source);
    one.update(lab::to_json(costs));
    all["matrices"].push_back(one);
  }
  session.write(all);
  return ok;
}

// Each reason counts by itself: one that names a row need not say where it counts from.
std::string text_of(const Session& session, lab::Record record) {
  for (lab::Result& r : record.results) r.reason = counted_from_one(r.reason);
  return lab::bench_text(record, session.colour(), session.width());
}

int bench(const Session& session, Options o) {
  const bool any_kernel = o.kernels.empty() && o.source.empty();
  lab::Order order = order_of(o, session.where());
  std::vector<std::string> read{o.suite};
  for (const lab::SuiteMatrix& m : order.matrices) read.push_back(m.source);
  require_apart({{"--csv", o.csv}, {"--json", session.json}}, files_of_matrices(read));
  lab::Record here =
      lab::Record::here(order.device);  // of all processors: a pinned thread has but one
  order.pin = o.pin && lab::pin(order);
  if (o.pin && !order.pin)
    status("the threads are not pinned: there are not as many processors, or OpenMP places them");
  if (o.profile) return profile(session, order);
  if (o.host_cost && order.vectors != std::vector<lab::VectorSet>{{}})
    throw InvalidArgument("--host-cost is that of a call with one vector: no --vectors");
  if (o.host_cost) return host_cost(session, any_kernel, order);
  if (o.batch > 0) return bench_batch(session, order, o.batch);
  const lab::MatrixCache cache(o.cache.empty() ? lab::usual_cache().string() : o.cache);
  if (order.device.kind == Device::Kind::emulator)
    status("the emulator is for truth, not for speed: kernels are verified and not timed");
  if (o.complex) return bench_complex(session, order, cache);
  const lab::GrowingFile file = session.growing(o.resume);
  lab::Record record = start_record(session, o, std::move(here), order.pin, file);
  Reporter reporter(session, file, cache);
  reporter.write(record);  // a name that cannot be written shows now
  require_output(o.csv);
  const int interrupted = reporter.run(order, record);
  // Files come first: a reader of stdout who leaves early costs none. One that cannot be written
  // costs nobody the table.
  const bool grows = !file.grows().empty();
  Attempts files;
  if (!interrupted || !grows)
    files.attempt([&] { reporter.finish(record); });  // a pipe gets what there is
  if (!interrupted && !o.csv.empty())
    files.attempt([&] { put_text(o.csv, lab::csv({{"", &record}})); });
  if (interrupted && grows && files.attempt([&] { reporter.write(record); }))
    complain("interrupted; {} has what was measured, and --resume goes on with it",
             file.grows().string());
  session.print(text_of(session, record), files.failed());
  if (session.json == "-") files.attempt([&] { write_stdout(lab::text(record)); });
  files.finish();
  if (!interrupted) return verdict(record);
  if (!grows) complain("interrupted; what was measured is above, and --json FILE would keep it");
  return 128 + interrupted;
}

}  // namespace

void add_bench(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("bench", "Measure kernels on matrices: checked first, then timed")
      .takes("MATRIX", o->matrices,
             "Files, gen:SPEC or like:NAME; NAME=FILE is called NAME in tables and figures,\n"
             "a file otherwise by its own name without folder and ending")
      .option("--suite", "NAME|FILE", o->suite,
              fmt::format("Also the matrices of a suite, of a file of one, or of a folder:\n{};\n"
                          "real: those of the folder NZ_MATRICES. A suite may bring\n"
                          "its own kernels, ops, types and time limit, for what nobody says",
                          fmt::join(lab::suite_names(), ", "))
                  .c_str())
      .option("--scale", "SCALE", o->scale, "Which size of the suite: large (default) or small")
      .option("--only", "PATTERNS", o->only, "Of these matrices only those whose name matches")
      .option("--kernels", "PATTERNS", o->kernels,
              "Kernels whose id matches one, such as 'plan,cpu/csr/*,peer/*'; plan stands\n"
              "for what a plan chooses, own for those of no paper and no other library\n"
              "(default: plan and all kernels of the device); 'plan/*' are whole plans, the\n"
              "transpose included where they prepare it")
      .option("--source", "TEXTS", o->source,
              "Of these only kernels whose source has one of these texts in it, such as\n"
              "own,messa2025,csr5,cusparse; never plan, which has none")
      .option("--without", "PATTERNS", o->without, "But none of these")
      .option("--ops", "OPS", o->ops, "N, T (transposed) or N,T (default)")
      .option("--types", "TYPES", o->types, "f64 (default), f32 or f32,f64")
      .option("--threads", "LIST", o->threads,
              "Numbers of threads, such as 1,2,4 (default: all cores)")
      .option("--vectors", "LIST", o->vectors,
              "Vectors of a product, such as 1,2,4,8 (default 1): several are multiplied by\n"
              "plans and by kernels that read the matrix once for them; kernels that are named\n"
              "and have no such product multiply them one by one")
      .option("--layout", "LAYOUTS", o->layout,
              "How several vectors lie: rows (default), columns or rows,columns")
      .choice("--store-values-as", "TYPE", o->store_values_as, {"exact", "f32", "f16", "bf16"},
              "Round the values first: to f32 for --types f64, to f16 or bf16 for f32. All\n"
              "kernels get the rounded matrix; those that can store fewer bytes then do")
      .option("--param", "NAME=VALUES", o->parameters,
              "For the kernels that have it; several values: a case for each")
      .option("--noise", "PERCENT", o->noise_percent,
              "Enough when the median is known this well (default 2)")
      .option("--time-limit", "SECONDS", o->time_limit,
              "Sampling time of one case at most (default 1)")
      .option("--alpha", "A", o->alpha, "Of the products that are timed, y = A M x + B y")
      .option("--beta", "B", o->beta,
              "The same (default 0); with 1 no kernel has to scale y before it adds to it")
      .number("--together", "N", o->together, 1, 1'000'000,
              "Time N products as a whole, nothing flushed in between, as papers do")
      .number("--rounds", "N", o->rounds, 1, 1000,
              "On the CPU: time all kernels of a matrix N times, in turn, so that what else a\n"
              "machine does falls on all of them; all stay prepared until then (default 1)")
      .number("--max-samples", "N", o->max_samples, 1, 100000, "Samples at most (default 200)")
      .number("--buffer", "MIB", o->buffer_mib, 1, 1 << 20,
              "Memory test over so much (default: four last-level caches; on a GPU 4 GiB)")
      .option("--cache", "DIR", o->cache,
              "Keep generated matrices here as .nzb for the next run (default:\n"
              "$NONZERO_CACHE, or none)")
      .device()
      .flag("--pin", o->pin, "Bind each thread to a processor of its own")
      .flag("--resume", o->resume, "Go on with the record that --json names")
      .flag("--profile", o->profile,
            "For a profiler: prepare, one multiply to warm up, one more; no check")
      .flag("--host-cost", o->host_cost,
            "Instead: what a call of multiply() and of a bound product costs the host")
      .number("--batch", "N", o->batch, 1, 1'000'000,
              "Instead: N matrices with the structure of each, at once and one by one")
      .flag("--complex", o->complex,
            "Instead: products of complex numbers, c64 for f32 and c128 for f64, by plans, our\n"
            "kernels and cuSPARSE")
      .number("--products", "N", o->products, 1, 1000000,
              "With --profile on the CPU: so many more (default 1)")
      .json()
      .memory_limit()
      .option("--csv", "FILE", o->csv, "Also every case as a line for a spreadsheet; - is stdout")
      .notes(
          "With --json FILE the record is written after every kernel, and an interrupted run goes\n"
          "on with --resume; without, what was measured is only shown.\n"
          "Exits with 1 when a result is wrong or a kernel failed; what a kernel declines is no "
          "failure.\n"
          "On a GPU the median is the time with the cache flushed, hot the one without.\n\n"
          "Examples:\n"
          "  nonzero bench cant.mtx\n"
          "  nonzero bench gen:grid --kernels 'cpu/csr/*' --threads 1,2,4 --types f32,f64\n"
          "  nonzero bench gen:fem --kernels 'gpu/*' --source csr5 --ops N --device cuda:0\n"
          "  nonzero bench gen:fem --kernels 'plan/*' --vectors 1,8,64 --layout columns\n"
          "  nonzero bench --suite quick\n"
          "  nonzero bench --suite cpu --json cpu.json --resume\n"
          "  nonzero bench --suite gpu --device cuda:0 --json gpu.json --cache /tmp/kept\n"
          "  nonzero bench gen:fem --kernels cpu/csr/serial --ops N --profile")
      .runs([&session, o] {
        session.stdout_has_data = is_stdout(o->csv);
        return bench(session, *o);
      });
}

}  // namespace nz::cli
