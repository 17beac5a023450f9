#pragma once
#include <map>
#include <string>

#include "lab/report/anchors.hpp"
#include "lab/report/figures.hpp"
#include "lab/report/record_pair.hpp"
#include "lab/report/runs.hpp"

namespace nz::lab {

// A run with its figures.
struct Chapter {
  const Run* run = nullptr;
  FigureList figures;
};

// One HTML page that needs nothing else: summaries, figures, machines, an explorer of matrices and
// the table of all cases; first how two records compare, where that is asked for.
std::string report_page(const std::string& title, const std::vector<Chapter>& chapters,
                        const std::vector<LeftOut>& left_out, const RecordPair* compared = nullptr);

// Parts of it.
// Of a paper's experiment: what was measured, and which conclusions hold; "" for other runs.
std::string paper_html(const Run& run);
std::string pair_html(const RecordPair& both);
std::string figure_html(const Figure& f);
std::string gallery_html(const Run& run, const std::map<std::string, std::string>& ids,
                         const std::string& caption);
std::string explorer_html();
std::string cases_html(const std::vector<Chapter>& chapters, const Anchors& anchors);

// A cell of a table with a ratio, its title for narrow pages.
std::string ratio_cell(const Pair& p, const char* title);
// Text between tags, in which a number stays with its unit.
std::string prose(const std::string& text);

// What the page's table shows, as JSON: columns, and a row for every case, with its address.
nlohmann::ordered_json table_data(const std::vector<Chapter>& chapters, const Anchors& anchors);
// What its explorer shows beside that: matrices with lengths of rows, predictions and plans.
nlohmann::ordered_json explorer_data(const std::vector<Chapter>& chapters, const Anchors& anchors);

}  // namespace nz::lab
