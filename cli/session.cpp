#include "cli/session.hpp"

#include <unistd.h>

#include <csignal>

#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/folding.hpp"
#include "cli/interrupts.hpp"
#include "cli/library_words.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "io/output_file.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {

void Session::print(std::string_view text, bool files) const {
  if (json == "-") return;
  const std::string shown = width() > 0 ? folded(text, width()) : std::string(text);
  if (stdout_has_data) {
    if (talk() != Talk::quiet) write_stderr(shown);
    return;
  }
  try {
    write_stdout(shown);
  } catch (const BrokenPipe&) {
    if (json.empty() && !files) throw;
  } catch (const Error&) {
    if (Interruptible::noted() != SIGHUP) throw;  // a closed terminal shows nothing
  }
}

void Session::print(const lab::Table& table) const { print(table.text(colour(), width())); }

std::size_t Session::width() const {
  const int fd = text_descriptor();
  return is_terminal(fd) || columns_said() ? static_cast<std::size_t>(terminal_size(fd).columns)
                                           : 0;
}

int Session::text_descriptor() const { return stdout_has_data ? STDERR_FILENO : STDOUT_FILENO; }

bool Session::colour() const { return colour_on(text_descriptor()); }

Device Session::where() const { return device.empty() ? cpu_device : device_named(device); }

lab::GrowingFile Session::growing(bool resume) const {
  return lab::GrowingFile(json == "-" ? "" : json, resume);
}

void Session::write(const nlohmann::ordered_json& results) const {
  if (json.empty()) return;
  if (json == "-")
    write_stdout(json_text(results));
  else
    write_file(json, json_text(results));
}

lab::Source Session::load(const std::string& what, const lab::MatrixCache& cache) const {
  lab::Source s;
  const lab::NamedPath named = lab::named_path(what);
  try {
    ProgressBar bar("reading " + named.path);
    s = lab::load(
        named.path, [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); },
        cache, memory_limit, allow_nan);
  } catch (const BadInput& e) {
    if (allow_nan) throw;
    throw BadInput(with_allow_nan(e.what()));
  }
  if (!named.name.empty()) s.name = named.name;
  detail("{}: {}, {} in {}", s.name, shape_text(s.matrix.view()), s.file ? "read" : "made",
         lab::seconds_text(s.seconds));
  if (s.stand_in) status("note: {}: {}", lab::label(s), s.note);
  return s;
}

std::string title_of(const lab::Source& s) {
  return s.file ? lab::matrix_name(s.name) : lab::label(s);
}

std::string json_text(const nlohmann::ordered_json& results) {
  // A file name need not be UTF-8; JSON must be.
  using Handler = nlohmann::ordered_json::error_handler_t;
  return results.dump(2, ' ', false, Handler::replace) + '\n';
}

std::string shape_text(const CsrView<double, std::int64_t>& a) {
  return fmt::format("{} x {}, {}", lab::count_text(a.rows), lab::count_text(a.cols),
                     lab::plural(a.nnz, "nonzero", "nonzeros"));
}

nlohmann::ordered_json record(const ValueRounding& r) {
  return {{"stored_as", name(r.as)},
          {"values", r.values},
          {"changed", r.changed},
          {"largest_relative_error", r.relative},
          {"largest_absolute_error", r.absolute}};
}

nlohmann::ordered_json describe(const lab::Source& s) {
  return {{"name", s.name},        {"rows", s.matrix.rows},  {"cols", s.matrix.cols},
          {"nnz", s.matrix.nnz()}, {"stand_in", s.stand_in}, {"note", s.note},
          {"index_base", 0}};
}

}  // namespace nz::cli
