#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/papers/coverage.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"
#include "support/devices.hpp"
#include "support/temp_dir.hpp"

// What is checked in of a record is what `nonzero reproduce --from` makes of it today: its tables,
// its conclusions and the page of tables beside it.
namespace nz::test {
namespace {

using namespace lab;
using Json = nlohmann::ordered_json;

struct Record {
  const char* name;
  bool page = true;  // has tables as Markdown beside it
};
constexpr Record records[] = {{"h200/messa2025"},
                              {"h200/dinoia2025"},
                              {"h200/mazzucchi2025"},
                              {"h200/izawa2023"},
                              {"h200/chirila2025-cpu"},
                              {"h200/chirila2025-gpu"},
                              {"cpu/neoverse-2-dinoia2025-section-vi"},
                              {"cpu/neoverse-v1-dinoia2025"},
                              {"cpu/neoverse-2-mazzucchi2025"},
                              {"cpu/neoverse-2-chirila2025", false}};

std::string path_of(const Record& record, const char* ending) {
  return fmt::format("{}/results/{}.{}", NZ_SOURCE_DIR, record.name, ending);
}

Recall recalled(const Record& record) {
  const std::string file = path_of(record, "json");
  return {Json::parse(read_file(file)), file};
}

Reproduction told(const Recall& recall) {
  const auto found = find_experiments(recall.experiment());
  ExperimentOptions options{.scale = recall.scale(), .device = recall.device()};
  options.recall = &recall;
  Reproduction r = found.front()->run(options);
  r.facts = retold_facts(recall, r.facts);
  return r;
}

TEST(Retold, WhatIsCheckedInIsWhatARecordTells) {
  NZ_NEEDS_EMULATOR();  // without it the registry has no kernels for GPUs
  for (const Record& record : records) {
    SCOPED_TRACE(record.name);
    const Recall recall = recalled(record);
    const Reproduction r = told(recall);
    const Json anew = recall.retold(r);
    // Not by EXPECT_EQ, which would print all of both.
    for (const char* key : {"facts", "tables", "claims"})
      EXPECT_TRUE(recall.record()[key] == anew[key])
          << key << ": nonzero reproduce --from results/" << record.name
          << ".json --out DIR tells it otherwise";
    if (record.page) {
      EXPECT_TRUE(read_file(path_of(record, "md")) == markdown(r))
          << "the tables are not those of the record";
    }
  }
}

// A conclusion that the file of a paper names is judged by a record, or the file says why not.
TEST(Retold, EveryConclusionOfEveryPaperHasAVerdict) {
  std::map<std::string, std::set<std::string>, std::less<>> judged;
  for (const Record& record : records) {
    const Recall recall = recalled(record);
    const auto found = find_experiments(recall.experiment());
    ASSERT_EQ(found.size(), 1u) << record.name;
    for (const Claim& c : told(recall).claims)
      if (c.holds || c.undecided) judged[std::string(found.front()->paper)].insert(c.text);
  }
  for (const std::string& paper : printed_papers()) {
    const auto conclusions = judged_conclusions(paper);
    EXPECT_GE(conclusions.size(), 10u) << paper;
    for (const std::string& words : conclusions)
      EXPECT_TRUE(judged[paper].contains(words)) << paper << ": no record judges '" << words << "'";
  }
}

}  // namespace
}  // namespace nz::test
