#pragma once
#include <string>

#include "lab/report/figures.hpp"
#include "lab/report/runs.hpp"

namespace nz::lab {

// A run with its figures.
struct Chapter {
  const Run* run = nullptr;
  FigureList figures;
};

// One HTML page that needs nothing else: summaries, figures, machines, and the table of all cases.
std::string report_page(const std::string& title, const std::vector<Chapter>& chapters,
                        const std::vector<LeftOut>& left_out);

// Of a paper's experiment: what was measured, and which conclusions hold; "" for other runs.
std::string paper_html(const Run& run);

// What the page's table shows, as JSON: columns, and a row for every case.
nlohmann::ordered_json table_data(const std::vector<Chapter>& chapters);

}  // namespace nz::lab
