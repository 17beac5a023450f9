#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/table.hpp"

// What of the papers is there: their listings, kernels, tables, figures, conclusions and data. The
// parts of a paper stand in its file (lab/papers/PAPER.json, "parts"), with what is missing, what
// differs and what only illustrates; that the others are there is seen from the registry and from
// what the experiments print.
namespace nz::lab {

struct Part {
  enum class State {
    done,
    differs,       // there, but not as printed
    illustration,  // explains something, and has nothing to reproduce
    unmeasured,    // a conclusion that no run of this program judges
    missing,
    absent  // said to be there, and it is not
  };
  std::string paper;
  std::string name;  // "Table 4.5", "Listing 8"
  State state = State::missing;
  std::string note;  // where it is, what differs or why it is missing
};
std::string_view name(Part::State state);

// The parts that a text names, as files do: "Tables 4.5 and 4.6" are "Table 4.5" and "Table 4.6";
// "§6.2.2 listings 9, 10" are "§6.2.2", "Listing 9" and "Listing 10".
std::set<std::string> parts_named(std::string_view text);

// Of one paper, in the order of its file, then its conclusions and its data. Throws
// std::out_of_range for a paper without a file.
std::vector<Part> coverage(std::string_view paper);

// The conclusions of a paper that runs judge, as its file words them.
std::vector<std::string> judged_conclusions(std::string_view paper);

// What the experiments print or the registry has of a paper and its file does not name.
std::vector<std::string> unnamed_parts(std::string_view paper);

// A line a part, of the papers that match: one, or all of them where it is empty or "all". Throws
// InvalidArgument, with the names there are, for another.
Table coverage_table(std::string_view paper);

}  // namespace nz::lab
