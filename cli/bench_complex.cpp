#include "cli/bench_complex.hpp"

#include <nlohmann/json.hpp>
#include <nonzero/threads.hpp>

#include "lab/bench/complex_bench.hpp"
#include "lab/bench/machine.hpp"
#include "lab/peers/cusparse_complex.hpp"
#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

lab::Table table_of(const lab::ComplexTimes& times) {
  using lab::Align;
  lab::Table t({{"product"},
                {"made in", Align::right},
                {"time", Align::right},
                {"hot", Align::right},
                {"verified"}});
  const auto text = [](const lab::Timing& of) {
    return of.samples.empty() ? std::string() : lab::seconds_text(of.median());
  };
  for (const lab::ComplexWay& w : times.ways)
    t.add({w.kernel, lab::seconds_text(w.make_seconds), text(w.timing.cold), text(w.timing.hot),
           w.status == "ok" ? "right" : w.status + ": " + w.reason});
  return t;
}

}  // namespace

int bench_complex(const Session& session, const lab::Order& order, const lab::MatrixCache& cache) {
  const lab::Commit commit = lab::commit();
  nlohmann::ordered_json all{{"schema", "nonzero-complex/1"},
                             {"commit", commit.id},
                             {"dirty", commit.dirty},
                             {"machine", lab::describe_machine(order.device)},
                             {"device", order.device.name()},
                             {"peer", lab::peers::cusparse_complex_version()},
                             {"matrices", nlohmann::ordered_json::array()}};
  bool right = true;
  lab::GrowingFile file = session.growing();
  for (const lab::SuiteMatrix& m : order.matrices) {
    const lab::Source source = session.load(m.source, cache);
    auto one = describe(source);
    one["name"] = m.name;
    one["products"] = nlohmann::ordered_json::array();
    for (const ValueType type : order.types)
      for (const Op op : order.ops)
        for (const int threads : order.threads) {
          const ThreadScope scope(threads);
          const lab::ComplexTimes times =
              lab::complex_times(order.device, source.matrix.view(), op, type, order.budget);
          for (const lab::ComplexWay& w : times.ways)
            right &= w.status == "ok" || w.status == "refused";
          session.say("{} with complex values on {}, {} {}, {}\n", m.name, order.device.name(),
                      times.type, name(op), lab::plural(threads, "thread", "threads"));
          session.print(table_of(times));
          auto result = lab::to_json(times);
          result["threads"] = threads;
          one["products"].push_back(result);
        }
    all["matrices"].push_back(one);
    file.write(json_text(all));
  }
  if (session.json == "-")
    session.write(all);
  else
    file.finish(json_text(all));
  return right ? ok : check_failed;
}

}  // namespace nz::cli
