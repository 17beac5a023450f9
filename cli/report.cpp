#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "cli/attempts.hpp"
#include "cli/commands.hpp"
#include "cli/counting.hpp"
#include "cli/figure_options.hpp"
#include "cli/lists.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/glob.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/report/report.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::vector<std::string> records;
  std::string output, figures, csv, title, matrices;
  FigureOptions drawn;
  std::string ours = "cpu/*,gpu/*", peers = "peer/*";
  bool fastest = false, apart = false;
};

// The page's are for a screen; these are laid out once more where somebody said how.
void write_figures(lab::Runs& runs, const Options& o, const FigureOptions::Made& drawn) {
  for (lab::Run& run : runs.runs) run.style = drawn.style;
  const std::size_t n = lab::Report(runs, o.title, o.apart).write_figures(o.figures, drawn.files);
  for (lab::Run& run : runs.runs) run.style = {};
  status("wrote {} to {}: {}", lab::plural(static_cast<std::int64_t>(n), "figure", "figures"),
         o.figures, o.drawn.formats);
}

void draw_matrices(lab::Runs& runs, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    const bool any = std::any_of(runs.runs.begin(), runs.runs.end(), [&](const lab::Run& run) {
      return std::any_of(run.record.results.begin(), run.record.results.end(),
                         [&](const lab::Result& r) { return lab::matches(r.matrix, pattern); });
    });
    if (!any)
      throw InvalidArgument(
          fmt::format("--matrix: no matrix of the records matches '{}'", pattern));
  }
  for (lab::Run& run : runs.runs) run.close_ups = patterns;
}

// The page counts from 1, as all that is written for people does; a table for programs from 0.
lab::Runs for_people(lab::Runs runs) {
  for (lab::Run& run : runs.runs) {
    for (lab::Result& r : run.record.results) r.reason = counted_from_one(r.reason);
    for (lab::Forecast& f : run.record.forecasts)
      for (lab::Prediction& p : f.predictions) p.why_not = counted_from_one(p.why_not);
  }
  return runs;
}

int report(const Session& session, const Options& o) {
  if (o.output.empty() && o.figures.empty() && o.csv.empty())
    throw InvalidArgument("nothing to write: give -o FILE.html, --figures DIR or --csv FILE");
  const lab::Sides sides{split_list(o.ours, "--ours"), split_list(o.peers, "--peers"), o.fastest};
  std::vector<NamedFile> read;
  for (const std::string& file : o.records) read.emplace_back("RECORD", lab::named_path(file).path);
  require_apart({{"-o", o.output}, {"--csv", o.csv}}, read);
  require_output(o.output);
  if (!o.figures.empty()) {
    std::filesystem::create_directories(o.figures);
    require_output((std::filesystem::path(o.figures) / "figure.svg").string());
  }
  require_output(o.csv);
  const FigureOptions::Made drawn = o.drawn.made();
  lab::Runs runs = lab::read_runs(o.records, sides);
  for (const lab::LeftOut& l : runs.left_out) complain("nonzero: left out: {}: {}", l.file, l.why);
  if (runs.runs.empty()) throw BadInput("none of the records can be reported");
  if (!o.output.empty() || !o.figures.empty())
    for (lab::Run& run : runs.runs) lab::add_pictures(run);
  if (!o.matrices.empty()) draw_matrices(runs, split_list(o.matrices, "--matrix"));
  const lab::Report all(runs, o.title, o.apart);
  Attempts files;
  const auto write = [&](const std::string& path, const auto& text) {
    if (!path.empty() && files.attempt([&] { put_text(path, text()); }))
      status("wrote {}", place_text(path));
  };
  write(o.output, [&] { return lab::Report(for_people(runs), o.title, o.apart).page(); });
  if (!o.figures.empty()) files.attempt([&] { write_figures(runs, o, drawn); });
  write(o.csv, [&] { return all.csv(); });
  files.attempt([&] { session.say("{}\n", all.summary()); });
  files.finish();
  return runs.left_out.empty() ? ok : bad_input;
}

}  // namespace

void add_report(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  Command c = parser.add("report", "Make a page of records: summary, figures, every case");
  c.needs("RECORD", o->records, "Records of bench, sweep or reproduce; NAME=FILE is called NAME")
      .option("-o,--output", "FILE.html", o->output,
              "The page; needs nothing else to be read. - is stdout")
      .option("--figures", "DIR", o->figures,
              "Its figures as SVG, PDF and PNG, for a paper with what follows")
      .option("--matrix", "PATTERNS", o->matrices,
              "Figures of every kernel on these matrices, too (default: where a record has\n"
              "one matrix or two)")
      .option("--csv", "FILE", o->csv, "Every case as a line for a spreadsheet; - is stdout")
      .option("--title", "TEXT", o->title, "The page's title")
      .option("--ours", "PATTERNS", o->ours, "Our kernels (default 'cpu/*,gpu/*')")
      .option("--peers", "PATTERNS", o->peers, "The peers (default 'peer/*')")
      .flag("--fastest", o->fastest, "Take the fastest of ours, not the one that a plan chooses")
      .flag("--apart", o->apart, "Two records: do not compare them");
  o->drawn.add_to(c);
  o->drawn.add_formats_to(c);
  c.notes(
       "Two records of bench are compared, case by case: two machines, or two commits. Beside\n"
       "that, and with more of them, every record is a part of its own.\n"
       "What cannot be read is left out and named, on the page too; the exit code is then 3.\n\n"
       "Examples:\n"
       "  nonzero report gpu.json -o report.html --figures figures\n"
       "  nonzero report gpu.json --figures figures --width 88mm --font 8 --no-title\n"
       "  nonzero report before.json after.json -o after.html\n"
       "  nonzero report first=before.json second=after.json --apart --csv cases.csv")
      .runs([&session, o] {
        session.stdout_has_data = is_stdout(o->output) || is_stdout(o->csv);
        return report(session, *o);
      });
}

}  // namespace nz::cli
