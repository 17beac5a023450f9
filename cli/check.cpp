#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/commands.hpp"
#include "cli/complex_matrix.hpp"
#include "cli/counting.hpp"
#include "cli/kernels.hpp"
#include "cli/progress.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "lab/bench/several_judge.hpp"
#include "lab/report/text.hpp"
#include "plan/rounded.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Conformance;
using lab::Tone;
using Outcome = lab::Conformance::Outcome;

struct Options {
  std::string matrix;
  std::string kernels;
  int vectors = 1;
  std::string store_values_as = "exact";
};

// Of one kernel: f32 N, f32 T, f64 N, f64 T.
using Results = std::vector<Conformance>;

// A type that is not asked for.
Results left_out(const Kernel& k, ValueType type) {
  Results both;
  for (const Op op : all_ops)
    both.push_back({.kernel = &k, .type = type, .op = op, .outcome = Outcome::unsupported});
  return both;
}

// check(kernel, judge) in both types, or in the one whose values can be stored so; judges are made
// by make(matrix).
template <Offset O, class Make, class Check>
std::vector<Results> check_each(const std::vector<const Kernel*>& kernels,
                                const CsrView<double, O>& a, StoredValues as, Make&& make,
                                Check&& check) {
  const Csr<float, O> in_f32 = csr_cast<float, O>(a);
  auto judge_f32 = make(in_f32.view());
  auto judge_f64 = make(a);
  const auto wanted = [&](ValueType type) {
    return as == StoredValues::exact || lab::vectors_with(as) == type;
  };
  std::vector<Results> all;
  ProgressBar bar("checking");
  for (const Kernel* k : kernels) {
    bar.update(all.size(), kernels.size(), k->id());
    Results r = wanted(ValueType::f32) ? check(*k, judge_f32) : left_out(*k, ValueType::f32);
    const Results in_f64 =
        wanted(ValueType::f64) ? check(*k, judge_f64) : left_out(*k, ValueType::f64);
    r.insert(r.end(), in_f64.begin(), in_f64.end());
    all.push_back(std::move(r));
  }
  return all;
}

template <Offset O>
std::vector<Results> check_all(const std::vector<const Kernel*>& kernels,
                               const CsrView<double, O>& a, Device device, int vectors,
                               StoredValues as) {
  if (vectors == 1)
    return check_each(
        kernels, a, as, [](const auto& m) { return lab::Judge(m); },
        [&](const Kernel& k, auto& judge) { return lab::conformance(k, judge, device); });
  return check_each(
      kernels, a, as, [](const auto& m) { return lab::SeveralJudge(m); },
      [&](const Kernel& k, auto& judge) { return lab::conformance(k, judge, device, vectors); });
}

Json record(const Conformance& c) {
  Json r{{"kernel", c.kernel->id()},
         {"type", name(c.type)},
         {"op", name(c.op)},
         {"outcome", name(c.outcome)}};
  if (!c.reason.empty()) r["reason"] = c.reason;
  if (c.outcome == Outcome::wrong)
    r["first_wrong"] = {{"alpha", c.first_wrong.alpha}, {"beta", c.first_wrong.beta}};
  if (!c.facts.empty()) r["facts"] = c.facts;
  r["products"] = c.products;
  r["worst_error"] = c.worst;
  r["unjudged_rows"] = c.unjudged;
  return r;
}

lab::Cell cell(const Conformance& c) {
  switch (c.outcome) {
    case Outcome::right:
      return {"right", Tone::good};
    case Outcome::wrong:
      return {"WRONG", Tone::bad};
    case Outcome::unsupported:
      return {"-", Tone::dim};
    default:
      return {std::string(name(c.outcome)), Tone::dim};
  }
}

lab::Table table(const std::vector<Results>& all) {
  lab::Table t({{"kernel"},
                {"f32 N"},
                {"f32 T"},
                {"f64 N"},
                {"f64 T"},
                {"products", lab::Align::right},
                {"worst error", lab::Align::right}});
  for (const Results& of_kernel : all) {
    std::vector<lab::Cell> row{of_kernel.front().kernel->id()};
    int products = 0;
    double worst = 0;
    for (const Conformance& c : of_kernel) {
      row.push_back(cell(c));
      products += c.products;
      worst = std::max(worst, c.worst);
    }
    row.emplace_back(std::to_string(products));
    row.emplace_back(products == 0 ? "-" : lab::percent_text(worst));
    t.add(std::move(row));
  }
  return t;
}

// What was padded, and why something is not right, one line a reason.
std::string remarks(const std::vector<Results>& all) {
  std::string text;
  std::map<std::string, std::set<std::string>> padded;
  for (const Results& of_kernel : all)
    if (const Facts& facts = of_kernel.front().facts; lab::padded(facts))
      padded[lab::blocks_text(facts)].insert(of_kernel.front().kernel->id());
  for (const auto& [shape, kernels] : padded)
    text += fmt::format("{} ({})\n", shape, lab::several(kernels));
  for (const Results& of_kernel : all) {
    std::string last;
    for (const Conformance& c : of_kernel) {
      if (c.reason.empty() || c.reason == last) continue;
      last = c.reason;
      if (c.outcome == Outcome::wrong)
        text += fmt::format("{} {} {}, alpha {}, beta {}: WRONG: {}\n", c.kernel->id(),
                            name(c.type), name(c.op), c.first_wrong.alpha, c.first_wrong.beta,
                            counted_from_one(c.reason));
      else
        text += fmt::format("{}: {}: {}\n", c.kernel->id(), name(c.outcome),
                            counted_from_one(c.reason));
    }
  }
  return text;
}

int check(const Session& session, const Options& o) {
  const Device device = session.where();
  const StoredValues as = stored_values_named(o.store_values_as);
  auto kernels = only_on(device, select_kernels(o.kernels), o.kernels);
  if (kernels.empty())
    throw InvalidArgument(
        fmt::format("no kernel matches '{}'; 'nonzero list' shows them all", o.kernels));
  if (is_complex_matrix(o.matrix, session)) {
    if (as != StoredValues::exact)
      throw InvalidArgument("values of complex matrices are stored as they are");
    if (o.vectors > 1) throw InvalidArgument("several vectors of complex matrices are not checked");
    return check_complex(session, o.matrix, o.kernels);
  }
  const Kernel& first = *kernels.front();
  std::erase_if(kernels, [&](const Kernel* k) { return !stores(*k, as); });
  if (kernels.empty()) require_stored(first, as, device);
  lab::Source source = session.load(o.matrix);
  const ValueRounding rounding = lab::round_values(source, as);
  Json r = describe(source);
  if (as != StoredValues::exact) r["rounding"] = cli::record(rounding);
  r["device"] = device.name();
  r["vectors"] = o.vectors;
  session.say("{}: {}{}\n\n", lab::label(source), shape_text(source.matrix.view()),
              device == cpu_device ? "" : ", on " + device.name());
  if (as != StoredValues::exact)
    session.say("{}.\nProducts are checked against the matrix of these rounded values.\n\n",
                rounding.text());

  const lab::Narrowed a = lab::narrow(std::move(source.matrix));
  const auto all = std::visit(
      [&](const auto& m) { return check_all(kernels, m.view(), device, o.vectors, as); }, a);
  std::int64_t wrong = 0, products = 0, unjudged = 0;
  for (const Results& of_kernel : all)
    for (const Conformance& c : of_kernel) {
      wrong += c.outcome == Outcome::wrong;
      products += c.products;
      unjudged = std::max(unjudged, c.unjudged);
      r["results"].push_back(record(c));
    }
  r["right"] = wrong == 0;

  session.print(table(all));
  if (const std::string text = remarks(all); !text.empty()) session.print("\n" + text);
  if (unjudged > 0)
    session.say("\n{} could not be judged: the terms may overflow\n",
                lab::plural(unjudged, "row", "rows"));
  session.say(
      "\n{}{} checked, alpha and beta each in {{0, 1, -0.5}}: {}.\n"
      "Worst error: the largest one, as a share of its row's bound.\n",
      lab::plural(products, "product", "products"),
      o.vectors == 1 ? "" : fmt::format(" of {} vectors by rows and by columns", o.vectors),
      wrong == 0 ? lab::toned("all right", Tone::good, session.colour())
                 : lab::toned("WRONG", Tone::bad, session.colour()));
  session.write(r);
  return wrong == 0 ? ok : check_failed;
}

}  // namespace

void add_check(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("check", "Check every kernel on a matrix: N and T, f32 and f64, alpha and beta")
      .needs("MATRIX", o->matrix, "A file, gen:SPEC or like:NAME")
      .option("--kernels", "PATTERN", o->kernels,
              "Only kernels whose id matches, such as 'cpu/csr/*'; other libraries are\n"
              "checked only when they match, as with 'peer/*'")
      .choice("--store-values-as", "TYPE", o->store_values_as, {"exact", "f32", "f16", "bf16"},
              "Round the values first: to f32 for products in f64, to f16 or bf16 for f32; the\n"
              "kernels that store fewer bytes then, against the rounded matrix")
      .number("--vectors", "K", o->vectors, 1, 4096,
              "Vectors of each product (default 1); several by rows and by columns")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Exits with 1 when a result is outside its error bound.\n\n"
          "Examples:\n"
          "  nonzero check cant.mtx\n"
          "  nonzero check gen:random:rows=1000,cols=1000 --kernels 'cpu/csr/*'\n"
          "  nonzero check gen:grid:nx=20,ny=20 --device emu")
      .runs([&session, o] { return check(session, *o); });
}

}  // namespace nz::cli
