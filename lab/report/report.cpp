#include "lab/report/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/output_file.hpp"
#include "lab/report/page.hpp"

namespace nz::lab {
namespace {

void write(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string named_after(const Runs& runs) {
  std::string places;
  std::vector<std::string> met;
  for (const Run& run : runs.runs) {
    if (std::find(met.begin(), met.end(), run.place) != met.end()) continue;
    met.push_back(run.place);
    places += (places.empty() ? "" : "; ") + run.place;
  }
  return "Sparse matrix-vector products on " + places;
}

}  // namespace

Report::Report(const Runs& runs, std::string title) : runs_(runs), title_(std::move(title)) {
  if (title_.empty()) title_ = named_after(runs);
  for (const Run& run : runs.runs) chapters_.push_back({&run, all_figures(run)});
}

Report::~Report() = default;

void Report::write_page(const std::filesystem::path& path) const {
  write(path, report_page(title_, chapters_, runs_.left_out));
}

std::string Report::summary() const {
  std::string all;
  for (const Run& run : runs_.runs) {
    if (!all.empty()) all += '\n';
    if (runs_.runs.size() > 1) all += run.name + ": ";
    all += headline(run).sentence;
  }
  return all;
}

}  // namespace nz::lab
