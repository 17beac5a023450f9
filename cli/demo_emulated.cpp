#include "cli/demo_emulated.hpp"

#include <variant>

#include <nonzero/registry.hpp>

#include "cli/kernels.hpp"
#include "cli/progress.hpp"
#include "lab/bench/trial.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Status;
using lab::Tone;
using lab::Trial;

// Short and long rows, and empty ones.
constexpr const char* matrix = "gen:rmat:scale=8,degree=8";

// On so small a matrix padding costs nothing: every format may take it.
Parameters any_padding(const Kernel& k) {
  for (const Parameter& p : k.parameters)
    if (p.name == "max_ratio") return {{std::string(p.name), p.max}};
  return {};
}

lab::Cell cell(const Trial& t) {
  switch (t.status) {
    case Status::ok:
      return {"verified", Tone::good};
    case Status::refused:
      return {"-", Tone::dim};
    case Status::wrong:
    case Status::failed:
      break;
  }
  return {fmt::format("{}: {}", t.status == Status::wrong ? "WRONG" : "failed", t.reason),
          Tone::bad};
}

}  // namespace

EmulatedPart demo_on_emulator(const Session& session) {
  EmulatedPart part{.failures = lab::Table({{"kernel"}, {"N"}, {"T"}}), .results = Json::array()};
  const lab::Source source = session.load(matrix);
  part.matrix = fmt::format("{}: {}", source.name, shape_text(source.matrix.view()));
  auto kernels = match_kernels("*");
  std::erase_if(kernels, [](const Kernel* k) {
    return !is_own(*k) || !k->runs_on_device(Device::Kind::emulator);
  });
  part.kernels = kernels.size();
  lab::Stage stage(source.matrix.view());
  ProgressBar bar("emulating");
  std::uint64_t done = 0;
  for (const Kernel* k : kernels) {
    bar.update(done++, kernels.size(), k->id());
    std::vector<lab::Cell> row{k->id()};
    bool all_right = true;
    for (const Trial& t : stage.perform(*k, {.device = emulator_device,
                                            .ops = {Op::none, Op::transpose},
                                            .parameters = any_padding(*k)})) {
      const bool bad = t.status == Status::wrong || t.status == Status::failed;
      all_right = all_right && !bad;
      row.push_back(cell(t));
      if (t.status == Status::refused) continue;
      part.results.push_back({{"matrix", source.name},
                              {"device", t.device.name()},
                              {"kernel", k->id()},
                              {"op", name(t.op)},
                              {"type", name(t.type)},
                              {"outcome", bad ? name(t.status) : "right"},
                              {"worst_error", t.worst_error}});
    }
    part.right = part.right && all_right;
    if (!all_right) part.failures.add(std::move(row));
  }
  return part;
}

}  // namespace nz::cli
