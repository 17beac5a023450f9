#include "cli/bench_batch.hpp"

#include <nlohmann/json.hpp>
#include <nonzero/threads.hpp>

#include "lab/bench/batch_bench.hpp"
#include "lab/bench/machine.hpp"
#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

lab::Table table_of(const lab::BatchTimes& times) {
  using lab::Align;
  lab::Table t({{"way"},
                {"made in", Align::right},
                {"all products", Align::right},
                {"of the batch", Align::right},
                {"verified"}});
  const lab::BatchWay* const batch = times.way("batch");
  for (const lab::BatchWay& w : times.ways) {
    const bool timed = !w.timing.samples.empty() && !batch->timing.samples.empty();
    t.add({w.name, lab::seconds_text(w.make_seconds),
           timed ? lab::seconds_text(w.timing.median()) : "",
           timed ? fmt::format("{:.1f} x", w.timing.median() / batch->timing.median()) : "",
           w.wrong.empty() ? "right" : w.wrong});
  }
  return t;
}

}  // namespace

int bench_batch(const Session& session, const lab::Order& order, int matrices) {
  const lab::Commit commit = lab::commit();
  nlohmann::ordered_json all{{"commit", commit.id},
                             {"dirty", commit.dirty},
                             {"machine", lab::describe_machine(order.device)},
                             {"device", order.device.name()},
                             {"batch", matrices},
                             {"matrices", nlohmann::ordered_json::array()}};
  bool right = true;
  for (const lab::SuiteMatrix& m : order.matrices) {
    const lab::Source source = session.load(m.source);
    auto one = describe(source);
    one["products"] = nlohmann::ordered_json::array();
    const auto measure = [&](ValueType type, Op op, int threads) {
      const ThreadScope scope(threads);
      const lab::BatchTimes times =
          lab::batch_times(order.device, source.matrix.view(), matrices, op, type, order.budget);
      for (const lab::BatchWay& w : times.ways) right &= w.wrong.empty();
      session.say("{}, {} with its structure on {}, {} {}, {}; plans take {}\n", m.name,
                  lab::plural(matrices, "matrix", "matrices"), order.device.name(), name(type),
                  name(op), lab::plural(threads, "thread", "threads"), times.kernel);
      session.print(table_of(times));
      auto result = lab::to_json(times);
      result["threads"] = threads;
      one["products"].push_back(result);
    };
    for (const ValueType type : order.types)
      for (const Op op : order.ops)
        for (const int threads : order.threads) measure(type, op, threads);
    all["matrices"].push_back(one);
  }
  session.write(all);
  return right ? ok : check_failed;
}

}  // namespace nz::cli
