#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "lab/papers/coverage.hpp"
#include "lab/papers/printed.hpp"
#include "support/devices.hpp"

// Every part of every paper is where its file says, and none is missing.
namespace nz::test {
namespace {

using namespace lab;

TEST(Coverage, NamesAreFoundInTitlesAndSources) {
  using Names = std::set<std::string>;
  EXPECT_EQ(parts_named("Table 1 and figure 2"), (Names{"Table 1", "Figure 2"}));
  EXPECT_EQ(parts_named("Figures 4.3 and 4.4"), (Names{"Figure 4.3", "Figure 4.4"}));
  EXPECT_EQ(parts_named("Table 2 and figure 3, as many threads"), (Names{"Table 2", "Figure 3"}));
  EXPECT_EQ(parts_named("izawa2023 figures 3.2, 3.3"), (Names{"Figure 3.2", "Figure 3.3"}));
  EXPECT_EQ(parts_named("chirila2025 §6.2.2 listings 9 and 10"),
            (Names{"§6.2.2", "Listing 9", "Listing 10"}));
  EXPECT_EQ(parts_named("Figure 3, improvement"), (Names{"Figure 3"}));
  EXPECT_EQ(parts_named("messa2025 Deliverable 1"), (Names{"Deliverable 1"}));
  EXPECT_EQ(parts_named("Study of 32 threads"), Names{});
}

TEST(Coverage, EveryPartIsAsItsFileSays) {
  NZ_NEEDS_EMULATOR();  // without it the registry has no kernels for GPUs
  int done = 0;
  for (const std::string& paper : printed_papers()) {
    const auto parts = coverage(paper);
    EXPECT_GT(parts.size(), printed(paper)["parts"].size() + printed(paper)["conclusions"].size())
        << paper;
    for (const Part& p : parts) {
      EXPECT_NE(p.state, Part::State::absent) << paper << ", " << p.name << ": " << p.note;
      EXPECT_NE(p.state, Part::State::missing) << paper << ", " << p.name << ": " << p.note;
      EXPECT_FALSE(p.note.empty()) << paper << ", " << p.name;
      done += p.state == Part::State::done;
    }
    EXPECT_EQ(unnamed_parts(paper), std::vector<std::string>{})
        << paper << " shows more than its file names";
    // Every table whose figures are typed in is a part.
    for (const auto& [table, figures] : printed(paper)["tables"].items()) {
      if (!table.starts_with("Table")) continue;
      EXPECT_TRUE(std::any_of(parts.begin(), parts.end(),
                              [&, name = table](const Part& p) {
                                return p.name == name && p.state != Part::State::illustration;
                              }))
          << paper << ", " << table;
    }
  }
  EXPECT_GT(done, 80 + 150);
}

// What no run judges says so, and why.
TEST(Coverage, ConclusionsAreNamedOneByOne) {
  const auto parts = coverage("dinoia2025");
  const auto count = [&](Part::State state) {
    return std::count_if(parts.begin(), parts.end(), [&](const Part& p) {
      return p.name.starts_with("Conclusion ") && p.state == state;
    });
  };
  EXPECT_EQ(count(Part::State::done), 37);
  EXPECT_GT(count(Part::State::unmeasured), 0);
  for (const Part& p : parts)
    if (p.state == Part::State::unmeasured) {
      EXPECT_NE(p.note.find(": "), std::string::npos) << p.note;
    }
  EXPECT_EQ(name(Part::State::unmeasured), "not measured");
}

// What each paper numbers, from its own lists: none of it is left out of its file.
TEST(Coverage, EveryNumberOfThePapersIsAPart) {
  struct Numbered {
    const char *paper, *kind;
    std::vector<std::string> numbers;
  };
  const auto up_to = [](int last, const std::string& chapter = "") {
    std::vector<std::string> all;
    for (int k = 1; k <= last; ++k) all.push_back(chapter + std::to_string(k));
    return all;
  };
  const Numbered all[] = {{"messa2025", "Algorithm", up_to(4)},
                          {"messa2025", "Table", {"I", "II", "III"}},
                          {"messa2025", "Figure", up_to(4)},
                          {"dinoia2025", "Algorithm", up_to(7)},
                          {"dinoia2025", "Table", {"I", "II", "III", "IV", "V", "VI"}},
                          {"dinoia2025", "Figure", up_to(17)},
                          {"mazzucchi2025", "Algorithm", up_to(2)},
                          {"mazzucchi2025", "Table", {"I", "II"}},
                          {"mazzucchi2025", "Figure", up_to(4)},
                          {"chirila2025", "Listing", up_to(18)},
                          {"chirila2025", "Table", up_to(13)},
                          {"chirila2025", "Figure", up_to(6)},
                          {"izawa2023", "Algorithm", up_to(1)},
                          {"izawa2023", "Table", up_to(8, "4.")},
                          {"izawa2023", "Figure", up_to(16, "2.")},
                          {"izawa2023", "Figure", up_to(9, "3.")},
                          {"izawa2023", "Figure", up_to(8, "4.")}};
  for (const Numbered& n : all) {
    std::set<std::string> parts;
    for (const auto& part : printed(n.paper)["parts"]) parts.insert(part["part"]);
    for (const std::string& number : n.numbers)
      EXPECT_TRUE(parts.contains(std::string(n.kind) + " " + number))
          << n.paper << ", " << n.kind << " " << number;
  }
}

TEST(Coverage, OnePaperOrAll) {
  EXPECT_NE(coverage_table("mazzucchi2025").markdown().find("| Table I |"), std::string::npos);
  EXPECT_EQ(coverage_table("mazzucchi2025").markdown().find("messa2025"), std::string::npos);
  EXPECT_THROW(coverage_table("nobody1999"), InvalidArgument);
}

}  // namespace
}  // namespace nz::test
