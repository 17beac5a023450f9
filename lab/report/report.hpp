#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/report/runs.hpp"

namespace nz::lab {

struct Chapter;

// The report of some runs, which it borrows: the figures are drawn once, then written where wanted.
class Report {
 public:
  // Without a title it is named after the devices.
  explicit Report(const Runs& runs, std::string title = {});
  ~Report();

  // Throws Error, with the path, when the system refuses.
  void write_page(const std::filesystem::path& path) const;

  struct Written {
    std::size_t svg = 0, png = 0;
    std::string no_png;  // why there are none
  };
  // Every figure as SVG, and as PNG where that can be made; the name of the record comes first
  // where there are several. Makes the folder.
  Written write_figures(const std::filesystem::path& folder) const;
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
