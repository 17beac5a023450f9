#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/matrix_file.hpp"
#include "cli/session.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string in, out;
};

int convert(const Session& session, const Options& o) {
  require_matrix_name(o.out);
  const lab::Source source = session.load(o.in);
  nlohmann::ordered_json r = describe(source);
  r["load_seconds"] = source.seconds;
  r.update(save_matrix(o.out, source));
  session.write(r);
  return ok;
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("convert", "Write a matrix in another file format");
  auto options = std::make_shared<Options>();
  command->add_option("IN", options->in, "A file, gen:SPEC or like:NAME")
      ->required()
      ->option_text(" ");
  command->add_option("OUT", options->out, "The file to write: .mtx, .mtx.gz, .mtx.zst or .nzb")
      ->required()
      ->option_text(" ");
  session.add_json(*command);
  session.add_threads(*command);
  command->footer(
      "Symmetric files are written expanded, with every entry.\n\n"
      "Examples:\n"
      "  nonzero convert cant.mtx.gz cant.nzb\n"
      "  nonzero convert cant.nzb cant.mtx.zst");
  command->callback([&session, options] {
    session.action = [&session, options] { return convert(session, *options); };
  });
}

}  // namespace nz::cli
