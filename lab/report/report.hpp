#pragma once
#include <filesystem>
#include <string>
#include <vector>

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
  // Without a title it is named after the devices.
  explicit Report(const Runs& runs, std::string title = {});
  ~Report();

  // Throws Error, with the path, when the system refuses.
  void write_page(const std::filesystem::path& path) const;

  // Every figure in each of these formats, and how many there are; the name of the record comes
  // first where there are several. Makes the folder.
  std::size_t write_figures(const std::filesystem::path& folder, const FigureFiles& files) const;
  std::string csv() const;
  void write_csv(const std::filesystem::path& path) const;

  // A sentence for each run.
  std::string summary() const;

 private:
  const Runs& runs_;
  std::string title_;
  std::vector<Chapter> chapters_;
};

}  // namespace nz::lab
