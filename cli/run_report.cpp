#include "cli/run_report.hpp"

#include "cli/attempts.hpp"
#include "cli/outputs.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {

bool is_file(const std::string& x) {
  return x != "ones" && x != "random" && !x.starts_with("random:");
}

std::optional<std::uint64_t> seed_of(const std::string& x) {
  if (is_file(x) || x == "ones") return std::nullopt;
  if (x == "random") return 1;
  return whole_number<std::uint64_t>(std::string_view(x).substr(7), "--x random:SEED");
}

void require_files(const Session& session, const RunAsked& asked) {
  const NamedFile matrix[]{{"MATRIX", file_of_matrix(asked.matrix)}},
      vectors[]{{"--x", is_file(asked.x) ? asked.x : ""}, {"--y", asked.y}};
  require_apart({{"-o", asked.output}, {"--json", session.json}}, matrix);
  require_apart({{"--json", session.json}}, vectors);
  const NamedFile read[]{matrix[0], vectors[0], vectors[1]};
  require_one_stdin(read);
  require_vector_output(asked.output);
}

void require_y(const RunAsked& asked) {
  if (asked.y.empty()) throw InvalidArgument(fmt::format("--beta {} needs --y FILE", asked.beta));
}

void tell(const Session& session, const RunAsked& asked, const RunReport& done,
          const std::function<void()>& write_y) {
  Attempts files;
  const bool written = !asked.output.empty() && files.attempt(write_y);
  std::string lines;
  const auto line = [&](const char* label, const std::string& text) {
    lines += fmt::format("{:<9} {}\n", label, text);
  };
  const bool emulated = done.device.kind == Device::Kind::emulator;
  line("matrix", done.matrix);
  line("kernel", done.kernel);
  if (!done.reason.empty()) line("", done.reason);
  for (const auto& [key, value] : done.parameters) line("", fmt::format("{} = {}", key, value));
  for (const auto& [label, text] : done.of_kernel) line(label, text);
  line("product",
       fmt::format("y = {} {} x + {} y in {}", asked.alpha, done.op_text, asked.beta, asked.type));
  for (const auto& [label, text] : done.of_product) line(label, text);
  if (done.device != cpu_device)
    line("device", done.device.name() + (emulated ? done.of_emulator : ""));
  if (!emulated) {
    line("prepare", lab::seconds_text(done.prepare_seconds));
    line("multiply",
         lab::seconds_text(done.seconds) + (done.device == cpu_device ? "" : done.of_time));
  }
  line("|y|", fmt::format("{}", done.norm));
  line("y", done.head);
  files.attempt([&] { session.print(lines); });
  if (written)
    status("wrote {}: {}{}", place_text(asked.output),
           lab::plural(done.length, "element", "elements"), done.of_output);

  using Json = RunReport::Json;
  Json r = done.about;
  r["kernel"] = done.kernel;
  r["reason"] = done.reason;
  r["parameters"] = done.parameters;
  r.update(done.kernel_keys);
  r["op"] = name(asked.op);
  r["type"] = asked.type;
  r["alpha"] = asked.alpha;
  r["beta"] = asked.beta;
  r["x"] = asked.x;
  r.update(done.product_keys);
  r["device"] = done.device.name();
  r["prepare_seconds"] = emulated ? Json(nullptr) : Json(done.prepare_seconds);
  r["multiply_seconds"] = emulated ? Json(nullptr) : Json(done.seconds);
  r["bytes"] = done.bytes;
  r["length"] = done.length;
  r["norm"] = done.norm;
  r["head"] = done.heads;
  r["output"] = asked.output;
  files.attempt([&] { session.write(r); });
  files.finish();
}

}  // namespace nz::cli
