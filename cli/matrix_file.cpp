#include "cli/matrix_file.hpp"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>
#include <nonzero/version.hpp>

#include "base/size_text.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

// What the file says of where it comes from.
std::string comment(const lab::Source& s) {
  std::string text = fmt::format("{} (nonzero {})", s.name, version());
  if (s.stand_in) text += "\nSTAND-IN, not the matrix of that name";
  if (!s.note.empty()) text += '\n' + s.note;
  return text;
}

}  // namespace

void require_matrix_name(const std::string& path) {
  if (is_stdout(path)) return;
  for (const char* ending : {".mtx", ".mtx.gz", ".mtx.zst", ".nzb"})
    if (path.ends_with(ending)) return require_output(path);
  throw InvalidArgument(
      fmt::format("{}: a matrix file ends in .mtx, .mtx.gz, .mtx.zst or .nzb", path));
}

nlohmann::ordered_json save_matrix(const std::string& path, const lab::Source& source) {
  const auto start = std::chrono::steady_clock::now();
  std::uintmax_t bytes = 0;
  bool whole = true;
  if (is_stdout(path)) {
    // Without a bar: what reads the pipe may use the terminal.
    try {
      write_stdout_matrix(source.matrix.view(), comment(source));
    } catch (const BrokenPipe&) {
      whole = false;
    }
  } else {
    ProgressBar bar("writing " + path);
    write_matrix(path, source.matrix.view(), comment(source),
                 [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); });
    std::error_code unknown;
    bytes = std::filesystem::file_size(path, unknown);
    if (unknown) bytes = 0;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string shape = shape_text(source.matrix.view()), took = lab::seconds_text(seconds);
  if (!is_stdout(path))
    status("wrote {}: {}, {} in {}", path, shape, size_text(static_cast<double>(bytes)), took);
  else if (whole)
    status("wrote {}: {} in {}", place_text(path), shape, took);
  return {{"file", path}, {"file_bytes", bytes}, {"write_seconds", seconds}};
}

}  // namespace nz::cli
