#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lab/papers/comparison.hpp"

// The papers' figures, which are data: lab/papers/PAPER.json, carried within the program.
namespace nz::lab {

std::vector<std::string> printed_papers();  // those that have a file

// The whole file. Throws std::out_of_range for a paper without one.
const nlohmann::ordered_json& printed(std::string_view paper);

// The lines of a table, or of a figure whose numbers are known, in the order of the file: their
// labels and what stands in the columns. Throws std::out_of_range for one that is not there.
using PrintedLines = std::vector<std::pair<std::string, Figures>>;
PrintedLines printed_table(std::string_view paper, std::string_view table);

// The columns of words of the same lines.
std::vector<std::pair<std::string, Words>> printed_words(std::string_view paper,
                                                         std::string_view table);

// Of such a line and column; no_figure where there is none.
double printed_figure(std::string_view paper, std::string_view table, std::string_view line,
                      std::string_view column);

}  // namespace nz::lab
