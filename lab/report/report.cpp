#include "lab/report/report.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include <nonzero/error.hpp>

#include "io/output_file.hpp"
#include "lab/report/csv.hpp"
#include "lab/report/page.hpp"
#include "lab/report/print.hpp"

namespace nz::lab {
namespace {

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

Report::Report(const Runs& runs, std::string title, bool apart)
    : runs_(runs), title_(std::move(title)) {
  if (title_.empty()) title_ = named_after(runs);
  for (const Run& run : runs.runs) chapters_.push_back({&run, all_figures(run)});
  if (!apart) compared_ = record_pair(runs);
}

Report::~Report() = default;

std::string Report::page() const {
  return report_page(title_, chapters_, runs_.left_out, compared_ ? &*compared_ : nullptr);
}

std::size_t Report::write_figures(const std::filesystem::path& folder,
                                  const FigureFiles& files) const {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw BadInput(fmt::format("{}: {}", folder.string(), failure.message()));
  std::size_t written = 0;
  // Names that differ in what file names leave out are one. Some systems do not tell A from a.
  std::set<std::string> taken;
  const auto fresh = [&](const std::string& wanted) {
    std::string name = wanted;
    const auto small = [&] {
      std::string s = name;
      for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return s;
    };
    for (int i = 2; !taken.insert(small()).second; ++i) name = fmt::format("{}-{}", wanted, i);
    return name;
  };
  const auto write = [&](const Figure& f, const std::string& wanted) {
    const std::string name = fresh(wanted);
    if (files.svg) write_file(folder / (name + ".svg"), svg_file(f.drawing, f.label, files.paper));
    if (files.pdf) write_file(folder / (name + ".pdf"), pdf_file(f.drawing, f.label, files.paper));
    if (files.png)
      write_file(folder / (name + ".png"), png_file(f.drawing, files.paper, files.dots_per_inch));
    ++written;
  };
  for (const Chapter& c : chapters_)
    for (const Figure& f : c.figures)
      write(f, chapters_.size() > 1 ? file_name(c.run->name + '-' + f.id()) : f.id());
  if (compared_ && compared_->figure) write(*compared_->figure, compared_->figure->id());
  return written;
}

std::string Report::csv() const {
  std::vector<NamedRecord> records;
  for (const Run& run : runs_.runs) records.push_back({run.name, &run.record});
  return lab::csv(records);
}

std::string Report::summary() const {
  std::string all;
  for (const Run& run : runs_.runs) {
    if (!all.empty()) all += '\n';
    if (runs_.runs.size() > 1) all += run.name + ": ";
    all += headline(run).sentence;
  }
  if (compared_) {
    all += "\n\n" + compared_->sentence();
    for (const std::string& w : compared_->warnings) all += "\n- " + w + '.';
  }
  return all;
}

}  // namespace nz::lab
