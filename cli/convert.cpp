#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/matrix_file.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string in, out;
};

int convert(const Session& session, const Options& o) {
  require_matrix_name(o.out);
  const NamedFile in[]{{"IN", file_of_matrix(o.in)}};
  require_apart({{"OUT", o.out}, {"--json", session.json}}, in);
  const lab::Source source = session.load(o.in);
  nlohmann::ordered_json r = describe(source);
  r["load_seconds"] = source.seconds;
  r.update(save_matrix(o.out, source));
  session.write(r);
  return ok;
}

}  // namespace

void add_convert(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("convert", "Write a matrix in another file format")
      .needs("IN", o->in, "A file, gen:SPEC or like:NAME")
      .needs("OUT", o->out,
             "The file to write: .mtx, .mtx.gz, .mtx.zst or .nzb; - is\nstdout, as .mtx")
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Symmetric files are written expanded, with every entry.\n\n"
          "Examples:\n"
          "  nonzero convert cant.mtx.gz cant.nzb\n"
          "  nonzero convert cant.nzb cant.mtx.zst\n"
          "  nonzero convert cant.nzb - | head")
      .runs([&session, o] { return convert(session, *o); });
}

}  // namespace nz::cli
