#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>

#include "cli/commands.hpp"
#include "cli/matrix_file.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string family;
  std::vector<std::string> settings;
  std::string output;
  bool list = false;
};

int list(const Session& session) {
  Json all{{"families", Json::array()}, {"named", Json::array()}};
  lab::Table made({{"family"}, {"setting"}, {"default", lab::Align::right}, {"summary"}});
  for (const Family& f : families()) {
    Json settings = Json::array();
    made.add({{std::string(f.name), lab::Tone::bold},
              "",
              "",
              fmt::format("{} ({})", f.summary, f.source)});
    for (const Setting& s : f.settings) {
      made.add({"", s.name, fmt::format("{}", s.initial), s.summary});
      settings.push_back({{"name", s.name},
                          {"summary", s.summary},
                          {"initial", s.initial},
                          {"min", s.min},
                          {"max", s.max}});
    }
    all["families"].push_back({{"name", f.name},
                               {"summary", f.summary},
                               {"source", f.source},
                               {"example", f.example},
                               {"settings", settings}});
  }
  lab::Table named({{"like:"}, {"made"}, {"papers"}, {"by"}});
  for (const NamedMatrix& n : named_matrices()) {
    named.add({n.name, n.exact ? "exactly" : "stand-in", n.papers, n.spec});
    all["named"].push_back({{"name", n.name},
                            {"papers", n.papers},
                            {"exact", n.exact},
                            {"spec", n.spec},
                            {"note", n.note}});
  }
  session.print(made);
  session.print("\n" + named.text(session.colour(), session.width()));
  session.write(all);
  return ok;
}

// FAMILY, FAMILY:k=v,k=v or like:NAME, with more settings behind.
std::string specification(const Options& o) {
  std::string spec = o.family;
  if (!spec.starts_with("gen:") && !lab::is_generated(spec)) spec = "gen:" + spec;
  if (o.settings.empty()) return spec;
  if (spec.starts_with("like:")) throw InvalidArgument(fmt::format("{} takes no settings", spec));
  const bool has_settings = spec.find(':', 4) != spec.npos;
  return fmt::format("{}{}{}", spec, has_settings ? "," : ":", fmt::join(o.settings, ","));
}

int gen(const Session& session, const Options& o) {
  if (o.list) return list(session);
  if (o.family.empty()) throw InvalidArgument("gen: which family? See 'nonzero gen --list'");
  if (o.output.empty())
    throw InvalidArgument(
        "gen: where to? Add -o FILE (.mtx, .mtx.gz, .mtx.zst or .nzb), or -o - for stdout");
  require_matrix_name(o.output);
  require_apart({{"-o", o.output}, {"--json", session.json}});
  const lab::Source source = session.load(specification(o));
  Json r = describe(source);
  r["generate_seconds"] = source.seconds;
  r.update(save_matrix(o.output, source));
  session.write(r);
  return ok;
}

}  // namespace

void add_gen(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("gen", "Generate a matrix and write it to a file")
      .takes("FAMILY", o->family, "A family, or like:NAME for a matrix that a paper names")
      .takes("SETTINGS", o->settings, "key=value, as --list shows them")
      .option("-o,--output", "FILE", o->output,
              "The file to write: .mtx, .mtx.gz, .mtx.zst or .nzb; - is stdout, as .mtx")
      .flag("--list", o->list, "List the families with their settings, and the named matrices")
      .json()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero gen --list\n"
          "  nonzero gen grid points=5 nx=300 ny=300 -o grid.mtx\n"
          "  nonzero gen like:ecology1 -o ecology1.nzb\n"
          "  nonzero gen banded n=1000 -o - | nonzero info -")
      .runs([&session, o] { return gen(session, *o); });
}

}  // namespace nz::cli
