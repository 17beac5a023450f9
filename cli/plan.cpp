#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>

#include "base/size_text.hpp"
#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Align;
using lab::Tone;

struct Options {
  std::string matrix;
  std::string op = "N";
  std::string type = "f64";
  std::string effort = "balanced";
  std::string memory_limit;
  bool deterministic = false;
  bool store_transpose = false, one_copy = false;
  bool no_cache = false;
  std::string store_values_as = "exact";
};

PlanOptions plan_options(const Options& o, Device device) {
  PlanOptions p{.device = device,
                .op = o.op == "N"   ? Use(Op::none)
                      : o.op == "T" ? Use(Op::transpose)
                                    : both_ops,
                .effort = effort_named(o.effort),
                .deterministic = o.deterministic,
                .store_values_as = stored_values_named(o.store_values_as)};
  check_stored_values(p.store_values_as, o.type == "f32" ? ValueType::f32 : ValueType::f64);
  if (o.store_transpose || o.one_copy) p.store_transpose = o.store_transpose;
  if (!o.memory_limit.empty()) p.memory_limit = parse_bytes(o.memory_limit, "--memory-limit");
  if ((o.store_transpose || o.one_copy) && p.op != both_ops)
    throw InvalidArgument(o.one_copy ? "--one-copy needs --op both"
                                     : "--store-transpose needs --op both");
  if (o.store_transpose && o.one_copy)
    throw InvalidArgument("--store-transpose and --one-copy contradict each other");
  p.cache.use = !o.no_cache;
  return p;
}

// The matrix where a plan finds it: in host memory, or copied to the device before, so that setup
// is what the plan does.
template <Value T, Offset O>
class Placed {
 public:
  Placed(Device device, const CsrView<double, std::int64_t>& a) : near_(csr_cast<T, O>(a)) {
    view_ = near_.view();
    if (device == cpu_device) return;
    offsets_ = {device, near_.offsets};
    columns_ = {device, near_.columns};
    values_ = {device, near_.values};
    view_.offsets = offsets_.data();
    view_.columns = columns_.data();
    view_.values = values_.data();
  }
  const CsrView<T, O>& view() const { return view_; }

 private:
  Csr<T, O> near_;
  CsrView<T, O> view_;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

// What a multiply takes, on average over the products wanted; nothing on the emulator.
struct Measured {
  std::optional<double> n, t;
  std::optional<double> mean() const {
    if (n && t) return (*n + *t) / 2;
    return n ? n : t;
  }
};

template <Value T>
Measured measure(const Plan<T>& p, Use use) {
  if (p.device().kind == Device::Kind::emulator) return {};
  Measured m;
  if (use.n) m.n = p.measure(Op::none);
  if (use.t) m.t = p.measure(Op::transpose);
  return m;
}

Json number(const std::optional<double>& n) { return n ? Json(*n) : Json(); }
Json positive(double n) { return n > 0 ? Json(n) : Json(); }

Json record(const Features& f) {
  return {{"row_length", f.row_length},
          {"entries_seen", f.entries},
          {"lines_of_x", f.lines},
          {"compact_bytes", positive(f.compact_bytes)},
          {"packed_bytes", positive(f.packed_bytes)},
          {"sell_slots", positive(f.sell_slots)},
          {"run_share", f.run_share},
          {"value_bytes", positive(f.narrow_value_bytes)},
          {"block_rows", f.block_rows},
          {"block_cols", f.block_cols},
          {"block_fill", f.block_fill},
          {"tile_entries", positive(f.tile_entries)},
          {"hottest_column", f.hottest},
          {"nonempty_rows", f.nonempty_rows},
          {"nonempty_cols", f.nonempty_cols},
          {"overlap", f.overlap}};
}

Json record(const Candidate& c) {
  return {{"kernel", c.kernel->id()},
          {"parameters", c.parameters},
          {"transposed", c.transposed},
          {"n_s", positive(c.n_seconds)},
          {"t_s", positive(c.t_seconds)},
          {"setup_s", positive(c.setup_seconds)},
          {"bytes", c.bytes},
          {"measured_s", positive(c.measured_seconds)},
          {"measured_setup_s", positive(c.measured_setup)},
          {"taken", c.why_not.empty()},
          {"why", c.why},
          {"why_not", c.why_not}};
}

// Parameters where the kernel alone does not tell the candidate from another one.
std::string name_of(const Candidate& c, const std::vector<Candidate>& all) {
  std::string text = c.kernel->id();
  const auto same = [&](const Candidate& other) {
    return other.kernel == c.kernel && other.transposed == c.transposed;
  };
  if (std::ranges::count_if(all, same) > 1)
    for (const auto& [name, value] : c.parameters) text += fmt::format(" {}={}", name, value);
  return text + (c.transposed ? " of A^T" : "");
}

lab::Table table(const Explanation& e) {
  lab::Table t({{"candidate"},
                {"N", Align::right},
                {"T", Align::right},
                {"setup", Align::right},
                {"keeps", Align::right},
                {"measured", Align::right},
                {""}});
  const auto time = [](double s) { return s > 0 ? lab::seconds_text(s) : std::string("-"); };
  for (const Candidate& c : e.candidates) {
    const bool taken = c.why_not.empty();
    t.add({{name_of(c, e.candidates), taken ? Tone::good : Tone::plain},
           time(c.n_seconds),
           time(c.t_seconds),
           time(c.setup_seconds),
           size_text(c.bytes),
           time(c.measured_seconds),
           {taken ? c.why : c.why_not, taken ? Tone::plain : Tone::dim}});
  }
  return t;
}

template <Value T, Offset O>
int show(const Session& session, const Options& o, const PlanOptions& options, Device device,
         const lab::Source& source) {
  const Placed<T, O> placed(device, source.matrix.view());
  const Plan<T> p = plan(placed.view(), options);
  const Explanation& e = p.explain();
  const std::string csr = device == cpu_device ? "cpu/csr/balanced" : "gpu/csr/balanced";
  const Plan<T> plain = plan(placed.view(), {.kernel = csr, .device = device, .op = options.op});
  const Measured ours = measure(p, options.op), theirs = measure(plain, options.op);
  std::optional<double> multiplies, pays;
  if (ours.mean()) {
    multiplies = e.setup() / *ours.mean();
    const double gain = *theirs.mean() - *ours.mean();
    if (gain > 0) pays = std::max(0.0, (e.setup() - plain.explain().setup()) / gain);
  }
  const bool same =
      p.kernel().id() == plain.kernel().id() && !p.transposed() && !p.stores_transpose();

  const auto line = [&](const char* label, const std::string& text) {
    session.say("{:<9} {}\n", label, text);
  };
  const auto time = [](double s) { return s > 0 ? lab::seconds_text(s) : std::string("none"); };
  line("matrix", fmt::format("{} ({})", lab::label(source), shape_text(source.matrix.view())));
  line("device", device == cpu_device
                     ? fmt::format("cpu, {}", lab::plural(e.threads, "thread", "threads"))
                     : device.name() + (ours.mean() ? "" : ": for truth, not for speed"));
  line("plan", p.kernel().id() + (p.transposed() ? " of A^T" : "") +
                   (p.stores_transpose() ? ", and another one of A^T for T" : ""));
  line("", e.why + (e.from_cache ? " (from the cache)" : ""));
  line("memory", fmt::format("keeps {}; CSR is {}", size_text(static_cast<double>(e.bytes)),
                             size_text(static_cast<double>(e.csr_bytes))));
  if (const std::string text = e.rounding.text(); !text.empty()) line("values", text);
  if (ours.n) line("multiply", fmt::format("N {}", lab::seconds_text(*ours.n)));
  if (ours.t) line(ours.n ? "" : "multiply", fmt::format("T {}", lab::seconds_text(*ours.t)));
  line("setup", fmt::format("{}{}: checking {}, looking {}, converting {}, timing {}",
                            lab::seconds_text(e.setup()),
                            multiplies ? fmt::format(", {:.1f} multiplies", *multiplies) : "",
                            time(e.checking), time(e.looking), time(e.converting), time(e.timing)));
  if (same)
    line("pays", "it is plain CSR");
  else if (ours.mean())
    line("pays", fmt::format("{} against plain CSR ({}, {})",
                             pays ? fmt::format("after {:.0f} multiplies", std::ceil(*pays))
                                  : std::string("never"),
                             plain.kernel().id(), lab::seconds_text(*theirs.mean())));
  line("bits", e.determinism());
  session.print("\n" + table(e).text(session.colour(), session.width()));

  Json r = describe(source);
  r["device"] = device.name();
  r["threads"] = e.threads;
  r["type"] = o.type;
  r["op"] = o.op;
  r["effort"] = name(options.effort);
  r["kernel"] = p.kernel().id();
  r["parameters"] = p.parameters();
  r["transposed"] = p.transposed();
  r["stores_transpose"] = p.stores_transpose();
  r["why"] = e.why;
  r["from_cache"] = e.from_cache;
  r["bytes"] = e.bytes;
  r["csr_bytes"] = e.csr_bytes;
  if (options.store_values_as != StoredValues::exact) r["rounding"] = cli::record(e.rounding);
  r["setup"] = {{"checking_s", e.checking},
                {"looking_s", e.looking},
                {"converting_s", e.converting},
                {"timing_s", e.timing},
                {"multiplies", number(multiplies)}};
  r["multiply"] = {{"n_s", number(ours.n)}, {"t_s", number(ours.t)}};
  r["plain"] = {{"kernel", plain.kernel().id()},
                {"n_s", number(theirs.n)},
                {"t_s", number(theirs.t)},
                {"setup_s", plain.explain().setup()}};
  r["break_even"] = number(pays);
  r["determinism"] = e.determinism();
  r["features"] = record(e.features);
  for (const Candidate& c : e.candidates) r["candidates"].push_back(record(c));
  session.write(r);
  return ok;
}

template <Value T>
int run(const Session& session, const Options& o) {
  // What is wrong is found before a large file is read.
  const Device device = session.where();
  const PlanOptions options = plan_options(o, device);
  const lab::Source source = session.load(o.matrix);
  return source.matrix.nnz() <= std::numeric_limits<std::int32_t>::max()
             ? show<T, std::int32_t>(session, o, options, device, source)
             : show<T, std::int64_t>(session, o, options, device, source);
}

}  // namespace

void add_plan(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("plan", "Show which kernel a plan takes for a matrix, why, and when it pays")
      .needs("MATRIX", o->matrix, "A file, gen:SPEC or like:NAME")
      .choice("--op", "OP", o->op, {"N", "T", "both"}, "The products it is for (default N)")
      .choice("--type", "TYPE", o->type, {"f32", "f64"}, "Type of the values (default f64)")
      .option("--effort", "EFFORT", o->effort,
              "instant: about 3 multiplies; balanced: 40 to 120; thorough: times the best few\n"
              "(default balanced)")
      .option("--memory-limit", "SIZE", o->memory_limit,
              "The most it may keep on the device: 800k, 20M, 1.5G (powers of 1024)")
      .flag("--deterministic", o->deterministic, "The same bits every time")
      .choice("--store-values-as", "TYPE", o->store_values_as, {"exact", "f32", "f16", "bf16"},
              "Round the values: to f32 where --type is f64, to f16 or bf16 where it is f32")
      .flag("--store-transpose", o->store_transpose,
            "With --op both: T may have its own copy, however "
            "much memory is free")
      .flag("--one-copy", o->one_copy, "With --op both: no second copy that needs more than CSR")
      .flag("--no-cache", o->no_cache, "Neither read nor write what thorough plans found")
      .json()
      .threads()
      .device()
      .notes(
          "Times of candidates are predicted; 'measured' is what the plan has timed.\n\n"
          "Examples:\n"
          "  nonzero plan cant.mtx\n"
          "  nonzero plan gen:grid:nx=500,ny=500 --op both --effort thorough\n"
          "  nonzero plan cant.mtx --device cuda:0 --type f32 --json plan.json")
      .runs([&session, o] {
        return o->type == "f32" ? run<float>(session, *o) : run<double>(session, *o);
      });
}

}  // namespace nz::cli
