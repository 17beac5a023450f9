#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "generate/matrix_facts.hpp"
#include "generate/spec.hpp"

namespace nz {
namespace {

using test::longest;
using test::shortest;

// As the papers print them: chirila2025 §5.1; izawa2023 tables 4.2, 4.3, 4.4; messa2025 table III;
// dinoia2025 table II; mazzucchi2025 table I.
const std::set<std::string_view> printed = {"block-band",
                                            "ideal_matrix",
                                            "msc00726",
                                            "spaceStation_4",
                                            "CAG_mat1916",
                                            "heart2",
                                            "psmigr_3",
                                            "raefsky6",
                                            "heart1",
                                            "exdata_1",
                                            "TSC_OPF_1047",
                                            "nemeth26",
                                            "sme3Da",
                                            "appu",
                                            "human_gene2",
                                            "olafu",
                                            "nd6k",
                                            "human_gene1",
                                            "nd12k",
                                            "mouse_gene",
                                            "random_0.0001",
                                            "random_0.0005",
                                            "random_0.001",
                                            "random_0.005",
                                            "random_0.01",
                                            "random_0.05",
                                            "random_0.1",
                                            "random_0.2",
                                            "random_0.3",
                                            "random_0.4",
                                            "random_0.5",
                                            "crankseg_1",
                                            "ecology1",
                                            "F1",
                                            "inline_1",
                                            "mawi_201512012345",
                                            "sx-stackoverflow",
                                            "circuit5M_dc",
                                            "delaunay_n23",
                                            "europe_osm",
                                            "hugetrace-00000",
                                            "mawi_201512020330",
                                            "model7",
                                            "mycielskian16",
                                            "pkustk14",
                                            "wiki-Talk",
                                            "cage14",
                                            "rajat31",
                                            "bcsstk13",
                                            "af23560",
                                            "neos3",
                                            "ins2",
                                            "helm2d03",
                                            "great-britain_osm"};

TEST(Named, EveryMatrixOfThePapersIsThereOnce) {
  std::set<std::string_view> names;
  for (const NamedMatrix& m : named_matrices()) EXPECT_TRUE(names.insert(m.name).second) << m.name;
  EXPECT_EQ(names, printed);
}

TEST(Named, StandInsSaySo) {
  for (const NamedMatrix& m : named_matrices()) {
    EXPECT_FALSE(m.papers.empty()) << m.name;
    EXPECT_FALSE(m.note.empty()) << m.name;
    EXPECT_EQ(m.note.starts_with("Stand-in."), !m.exact) << m.name;
    EXPECT_EQ(m.note.find("assumed") != std::string_view::npos, !m.exact) << m.name;
    EXPECT_FALSE(m.exact && parse_spec(m.spec).family->name == "profile") << m.name;
  }
  const Generated g = generate("like:bcsstk13");
  EXPECT_EQ(g.name, "like:bcsstk13 (stand-in)");
  EXPECT_TRUE(g.stand_in);
  EXPECT_NE(g.note.find("Stand-in"), std::string::npos);
  const Generated exact = generate("like:random_0.0001");
  EXPECT_EQ(exact.name, "like:random_0.0001");
  EXPECT_FALSE(exact.stand_in);
}

// All stand-ins that are made quickly keep every promise of their specification.
TEST(Named, SmallStandInsMeetTheirProfile) {
  int made = 0;
  for (const NamedMatrix& m : named_matrices()) {
    if (parse_spec(m.spec).family->name != "profile") continue;
    const Settings s = parse_spec(m.spec).settings;
    const auto setting = [&](const char* name) {
      return static_cast<std::int64_t>(s.find(name)->second);
    };
    if (setting("nnz") > 3000000) continue;
    ++made;
    const GeneratedMatrix a = test::make("like:" + std::string(m.name));
    EXPECT_EQ(a.rows, setting("rows")) << m.name;
    EXPECT_EQ(a.cols, setting("cols")) << m.name;
    EXPECT_EQ(a.nnz(), setting("nnz")) << m.name;
    EXPECT_EQ(longest(a), setting("max")) << m.name;
    EXPECT_EQ(shortest(a), setting("min")) << m.name;
    if (setting("form") == 1)
      test::for_entries(a, [&](index_t i, index_t j, double) { ASSERT_LE(j, i) << m.name; });
  }
  EXPECT_EQ(made, 19);
}

Settings settings_of(std::string_view name) {
  for (const NamedMatrix& m : named_matrices())
    if (m.name == name) return parse_spec(m.spec).settings;
  throw std::runtime_error("no matrix " + std::string(name));
}

struct Printed {
  const char* name;
  std::int64_t rows, cols, nnz, max;
};

// Numbers as the papers print them (exactly, or within their rounding), from the specifications:
// the large ones are not built here.
TEST(Named, StandInsHaveThePrintedNumbers) {
  for (const Printed& p : {
           Printed{"crankseg_1", 52804, 52804, 5333507, 262},
           Printed{"F1", 343791, 343791, 13590452, 306},
           Printed{"inline_1", 503712, 503712, 18660027, 843},
           Printed{"mawi_201512012345", 18571154, 18571154, 19020160, 7397164},
           Printed{"sx-stackoverflow", 2601977, 2601977, 36233450, 38148},
           Printed{"pkustk14", 151926, 151926, 7494215, 0},
           Printed{"wiki-Talk", 2394385, 2394385, 5021410, 0},
           Printed{"cage14", 1505785, 1505785, 27130349, 0},
           Printed{"rajat31", 4690002, 4690002, 20316253, 0},
           Printed{"bcsstk13", 2003, 2003, 42943, 0},
           Printed{"af23560", 23560, 23560, 484256, 0},
           Printed{"neos3", 512209, 518832, 2055024, 0},
           Printed{"ins2", 309412, 309412, 1530448, 0},
           Printed{"helm2d03", 392257, 392257, 1567096, 0},
           Printed{"great-britain_osm", 7733822, 7733822, 8156517, 0},
       }) {
    const Settings s = settings_of(p.name);
    EXPECT_EQ(s.find("rows")->second, static_cast<double>(p.rows)) << p.name;
    EXPECT_EQ(s.find("cols")->second, static_cast<double>(p.cols)) << p.name;
    EXPECT_EQ(s.find("nnz")->second, static_cast<double>(p.nnz)) << p.name;
    if (p.max > 0) {
      EXPECT_EQ(s.find("max")->second, static_cast<double>(p.max)) << p.name;
    }
  }
}

struct Thousands {
  const char* name;
  double rows, nnz;  // in thousands, two digits after the point
};

TEST(Named, StandInsRoundToIzawasTable) {
  for (const Thousands& t :
       {Thousands{"msc00726", 0.73, 17.62}, Thousands{"CAG_mat1916", 1.92, 195.99},
        Thousands{"heart2", 2.34, 682.80}, Thousands{"psmigr_3", 3.14, 543.16},
        Thousands{"raefsky6", 3.40, 137.85}, Thousands{"heart1", 3.56, 1387.77},
        Thousands{"exdata_1", 6.00, 1137.75}, Thousands{"TSC_OPF_1047", 8.14, 1012.52},
        Thousands{"nemeth26", 9.51, 760.63}, Thousands{"sme3Da", 12.50, 874.89},
        Thousands{"appu", 14.00, 1853.10}, Thousands{"human_gene2", 14.34, 9041.36},
        Thousands{"olafu", 16.15, 515.65}, Thousands{"nd6k", 18.00, 3457.66},
        Thousands{"human_gene1", 22.28, 12345.96}, Thousands{"nd12k", 36.00, 7128.47},
        Thousands{"spaceStation_4", 0.95, 7.10}}) {
    const Settings s = settings_of(t.name);
    EXPECT_NEAR(s.find("rows")->second / 1000, t.rows, 0.005001) << t.name;
    EXPECT_NEAR(s.find("nnz")->second / 1000, t.nnz, 0.005001) << t.name;
  }
}

TEST(Named, RandomOnesHaveTheNonzerosOfTheTable) {
  const std::pair<const char*, std::int64_t> table[] = {{"random_0.0001", 6711},
                                                        {"random_0.0005", 33554},
                                                        {"random_0.001", 67109},
                                                        {"random_0.005", 335544},
                                                        {"random_0.01", 671089}};
  for (const auto& [name, nnz] : table) {
    const GeneratedMatrix a = test::make(std::string("like:") + name);
    EXPECT_EQ(a.rows, 8192);
    EXPECT_EQ(a.cols, 8192);
    EXPECT_EQ(a.nnz(), nnz) << name;
  }
}

TEST(Named, Ecology1IsTheWholeGrid) {
  const GeneratedMatrix a = generate("like:ecology1").matrix;
  EXPECT_EQ(a.rows, 1000000);
  EXPECT_EQ(a.nnz(), 4996000);
  std::int64_t lower = 0;
  test::for_entries(a, [&](index_t i, index_t j, double) { lower += j <= i; });
  EXPECT_EQ(lower, 2998000);  // what messa2025 counts
}

TEST(Named, IdealMatrixIsBalanced) {
  const GeneratedMatrix a = test::make("like:ideal_matrix");
  EXPECT_EQ(a.rows, 8192);
  EXPECT_EQ(a.nnz(), 3406208);
  // Block rows in which some two blocks differ.
  const auto unequal = [&](index_t block) {
    const index_t n = a.rows / block;
    std::vector<int> count(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    test::for_entries(a, [&](index_t i, index_t j, double) {
      ++count[static_cast<std::size_t>(i / block) * static_cast<std::size_t>(n) +
              static_cast<std::size_t>(j / block)];
    });
    int found = 0;
    std::set<int> different;
    for (index_t k = 0; k < n; ++k) {
      const auto first = count.begin() + std::ptrdiff_t{k} * n;
      found += std::any_of(first, first + n, [&](int c) { return c != *first; });
      different.insert(*first);
    }
    EXPECT_GT(different.size(), 5u);  // block rows differ
    return found;
  };
  EXPECT_EQ(unequal(128), 0);
  // Of the one block row of 128 whose count is no multiple of 16.
  EXPECT_LE(unequal(64), 2);
  EXPECT_LE(unequal(32), 4);
}

}  // namespace
}  // namespace nz
