#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/record_pair.hpp"
#include "lab/report/runs.hpp"

namespace nz::lab {

struct Chapter;

struct FigureFiles {
  Paper paper{};
  bool svg = true, pdf = true, png = true;
  double dots_per_inch = 300;
};

// The report of some runs, which it borrows: the figures are drawn once, then written where wanted.
class Report {
 public:
  // Without a title it is named after the devices. Two records are compared, unless they are to be
  // kept apart.
  explicit Report(const Runs& runs, std::string title = {}, bool apart = false);
  ~Report();

  std::string page() const;

  // Every figure in each of these formats, and how many there are; the name of the record comes
  // first where there are several. Makes the folder. Throws Error, with the path, when the system
  // refuses.
  std::size_t write_figures(const std::filesystem::path& folder, const FigureFiles& files) const;
  std::string csv() const;

  // A sentence for each run, and one for two records.
  std::string summary() const;

 private:
  const Runs& runs_;
  std::string title_;
  std::vector<Chapter> chapters_;
  std::optional<RecordPair> compared_;
};

}  // namespace nz::lab
