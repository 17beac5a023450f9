#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>

#include "lab/bench/cache.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/suite.hpp"
#include "support/temp_dir.hpp"

// Suites of ours, by name and by file; what they cover; and the cache of generated matrices.
namespace nz::test {
namespace {

namespace fs = std::filesystem;

std::string file(const std::string& name) {
  return NZ_SOURCE_DIR "/lab/bench/suites/" + name + ".json";
}

TEST(Suite, OursAreWellFormedInBothScales) {
  const auto names = lab::suite_names();
  EXPECT_EQ(
      std::set<std::string>(names.begin(), names.end()),
      (std::set<std::string>{"bsr", "cpu", "drawn", "gpu", "mid", "papers", "pruned", "quick"}));
  for (const std::string& name : names) {
    for (const char* scale : {"large", "small"}) {
      const auto suite = lab::read_suite(name, scale);
      EXPECT_EQ(suite.file, name + ".json");
      EXPECT_FALSE(suite.about.empty()) << name;
      EXPECT_GE(suite.matrices.size(), 6u) << name;
      for (const auto& m : suite.matrices) {
        EXPECT_NO_THROW(lab::check_source(m.source)) << m.name;
        EXPECT_FALSE(m.why.empty()) << m.name;
      }
    }
    EXPECT_THROW(lab::read_suite(name, "huge"), InvalidArgument);
  }
}

TEST(Suite, IsTheSameByNameAndByFile) {
  for (const std::string& name : lab::suite_names()) {
    const auto by_name = lab::read_suite(name, "small"),
               by_file = lab::read_suite(file(name), "small");
    EXPECT_EQ(by_name.file, by_file.file);
    ASSERT_EQ(by_name.matrices.size(), by_file.matrices.size());
    for (std::size_t k = 0; k < by_name.matrices.size(); ++k)
      EXPECT_EQ(by_name.matrices[k].source, by_file.matrices[k].source);
    EXPECT_EQ(by_name.options.kernels, by_file.options.kernels);
  }
}

// Records in results/ call them so.
TEST(Suite, GpuKeepsItsFirstFifteen) {
  const auto all = lab::read_suite("gpu", "large").matrices;
  const std::map<std::string, std::string> some = {
      {"block-band", "gen:block-band:n=32000,block=5,density=0.05"},
      {"grid5", "gen:grid:points=5,nx=4000,ny=4000"},
      {"rmat", "gen:rmat:scale=22,degree=16"},
      {"giant", "gen:giant:n=18571154,length=7397164,degree=0.6"},
      {"random-half", "gen:random:rows=8192,cols=8192,density=0.005"}};
  std::size_t found = 0;
  for (std::size_t k = 0; k < 15; ++k)
    if (const auto one = some.find(all.at(k).name); one != some.end()) {
      ++found;
      EXPECT_EQ(all[k].source, one->second);
    }
  EXPECT_EQ(found, some.size());
}

std::string family_of(const lab::SuiteMatrix& m) {
  const std::string spec = m.source.substr(m.source.find(':') + 1);
  return spec.substr(0, spec.find(':'));
}

// Both halves have every family, and sizes that are said before anything is made.
TEST(Suite, MidHasEveryFamilyTwiceInTheMiddleOfSizes) {
  const auto suite = lab::read_suite("mid", "large");
  std::map<std::string, std::set<std::string>> of_half;
  int most = 0;
  for (const auto& m : suite.matrices) {
    of_half[m.name.substr(0, m.name.find('-'))].insert(family_of(m));
    const MatrixSize size = estimate(m.source.substr(m.source.find(':') + 1));
    EXPECT_GE(size.nonzeros, 3e5) << m.name;
    EXPECT_LE(size.nonzeros, 2e7) << m.name;
    most += size.nonzeros >= 5e5 && size.nonzeros <= 8e6;
  }
  EXPECT_GE(suite.matrices.size(), 40u);
  EXPECT_GE(most, 40);
  ASSERT_EQ(of_half.size(), 2u);
  for (const char* half : {"fit", "report"})
    for (const Family& f : families())
      if (f.name != "empty" && f.name != "halo") {  // those with next to no entries
        EXPECT_TRUE(of_half[half].contains(std::string(f.name))) << half << ' ' << f.name;
      }
}

TEST(Suite, GpuCoversSizesAndFamilies) {
  const auto suite = lab::read_suite("gpu", "large");
  EXPECT_GE(suite.matrices.size(), 24u);
  EXPECT_EQ(suite.options.ops, "N,T");
  EXPECT_EQ(suite.options.types, "f32,f64");
  std::set<std::string> used;
  for (const auto& m : suite.matrices) used.insert(family_of(m));
  EXPECT_GE(used.size(), 14u);
  // From a thousand on; those that are quickly made.
  std::map<std::string, std::int64_t> nonzeros;
  for (const auto& m : suite.matrices)
    for (const char* small : {"grid5-1k", "giant-3k", "band-10k", "grid7-30k", "road-100k"})
      if (m.name == small) nonzeros[m.name] = lab::load(m.source).matrix.nnz();
  EXPECT_NEAR(nonzeros["grid5-1k"], 1e3, 200);
  EXPECT_NEAR(nonzeros["giant-3k"], 3e3, 500);
  EXPECT_NEAR(nonzeros["band-10k"], 1e4, 2e3);
  EXPECT_NEAR(nonzeros["grid7-30k"], 3e4, 5e3);
  EXPECT_NEAR(nonzeros["road-100k"], 1e5, 2e4);
}

TEST(Suite, PapersHasEveryNamedMatrix) {
  std::set<std::string> large;
  for (const auto& m : lab::read_suite("papers", "large").matrices) {
    EXPECT_EQ(m.source, "like:" + m.name);
    large.insert(m.name);
  }
  EXPECT_EQ(large.size(), named_matrices().size());
  for (const NamedMatrix& m : named_matrices())
    EXPECT_TRUE(large.contains(std::string(m.name))) << m.name;
  for (const auto& m : lab::read_suite("papers", "small").matrices) {
    const auto nnz = lab::load(m.source).matrix.nnz();
    EXPECT_GT(nnz, 0) << m.name;
    EXPECT_LT(nnz, 10'000) << m.name;
  }
}

TEST(Suite, AFolderIsOneOfItsMatrices) {
  const TempDir dir;
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  dir.write("one.mtx", head + "2 2 1\n1 1\n");
  dir.write("more.of.it.mtx", head + "2 2 2\n1 1\n2 2\n");
  dir.write("INDEX.tsv", "file\n");
  const auto suite = lab::read_suite(dir(""), "large");
  ASSERT_EQ(suite.matrices.size(), 2u);  // by size
  EXPECT_EQ(suite.matrices[0].name, "one");
  EXPECT_EQ(suite.matrices[1].name, "more.of.it");
  EXPECT_EQ(lab::load(suite.matrices[1].source).matrix.nnz(), 2);
  dir.write("large.mtx", head + "% " + std::string(60'000, 'x') + "\n1 1 1\n1 1\n");
  EXPECT_EQ(lab::read_suite(dir(""), "large").matrices.size(), 3u);
  EXPECT_EQ(lab::read_suite(dir(""), "small").matrices.size(), 2u);
  EXPECT_THROW(lab::read_suite(dir(""), "huge"), InvalidArgument);

  setenv("NZ_MATRICES", dir("").c_str(), 1);
  const auto real = lab::read_suite("real", "large");
  EXPECT_EQ(real.file, "real.json");
  EXPECT_EQ(real.matrices.size(), 3u);
  EXPECT_EQ(real.options.ops, "N,T");
  const TempDir empty;
  setenv("NZ_MATRICES", empty("").c_str(), 1);
  EXPECT_THROW(lab::read_suite("real", "large"), BadInput);
  unsetenv("NZ_MATRICES");
  EXPECT_THROW(lab::read_suite("real", "large"), BadInput);
}

TEST(Suite, BrokenOnesAreRefused) {
  const TempDir dir;
  const auto refused = [&](const std::string& text) {
    EXPECT_THROW(lab::read_suite(dir.write("s.json", text), "large"), BadInput) << text;
  };
  EXPECT_THROW(lab::read_suite(dir("none.json"), "large"), BadInput);
  try {
    lab::read_suite("gpus", "large");
    ADD_FAILURE();
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find("bsr, cpu, drawn, gpu"), std::string::npos) << e.what();
  }
  refused("{]");
  refused("{}");
  const std::string head = R"({"schema": "nonzero-suite/1", )";
  refused(head + R"("matrices": [{"source": "gen:grid"}]})");
  refused(head + R"("matrices": [{"name": "a", "source": "gen:grid"},
                                 {"name": "a", "source": "gen:fem"}]})");
  refused(head + R"("options": {"colour": "red"}, "matrices": []})");
  refused(head + R"("options": {"time_limit": "long"}, "matrices": []})");
}

TEST(Cache, TheSecondLoadReadsWhatTheFirstMade) {
  const TempDir dir;
  const lab::MatrixCache cache(dir("c/d"));
  const auto made = lab::load("gen:rmat:scale=8,degree=4", {}, cache);
  EXPECT_EQ(made.cached, "into the cache");
  const auto again = lab::load("gen:rmat:scale=8,degree=4", {}, cache);
  EXPECT_EQ(again.cached, "from the cache");
  EXPECT_EQ(again.matrix, made.matrix);
  EXPECT_EQ(again.name, made.name);
  EXPECT_EQ(again.note, made.note);
  // However it is written, it is the same; another one is not.
  EXPECT_EQ(lab::load("gen:rmat:degree=4,scale=8,seed=1", {}, cache).cached, "from the cache");
  EXPECT_EQ(lab::load("gen:rmat:scale=8,degree=5", {}, cache).cached, "into the cache");
  EXPECT_EQ(lab::load("gen:rmat:scale=8,degree=4").cached, "");
  EXPECT_THROW(lab::load("gen:rmat:scale=8,degree=many", {}, cache), InvalidArgument);
}

TEST(Cache, AStandInStaysOne) {
  const TempDir dir;
  const lab::MatrixCache cache(dir("c"));
  const auto made = lab::load("like:spaceStation_4", {}, cache);
  const auto again = lab::load("like:spaceStation_4", {}, cache);
  EXPECT_EQ(again.cached, "from the cache");
  EXPECT_EQ(again.matrix, made.matrix);
  EXPECT_TRUE(again.stand_in);
  EXPECT_EQ(again.name, made.name);
  EXPECT_EQ(again.note, made.note);
}

TEST(Cache, ABrokenFileIsMadeAnew) {
  const TempDir dir;
  const lab::MatrixCache cache(dir("c"));
  const std::string spec = "grid:nx=9,ny=9";
  const auto made = lab::load("gen:" + spec, {}, cache);
  const fs::path kept = cache.file_of(spec);
  const auto size = fs::file_size(kept);
  for (const std::uintmax_t left : {size / 2, std::uintmax_t{0}, size - 1}) {
    fs::resize_file(kept, left);
    const auto again = lab::load("gen:" + spec, {}, cache);
    EXPECT_EQ(again.matrix, made.matrix) << left;
    EXPECT_EQ(again.cached, "into the cache, where a broken file was");
    EXPECT_EQ(fs::file_size(kept), size);
  }
  EXPECT_EQ(lab::load("gen:" + spec, {}, cache).cached, "from the cache");
  // Nothing else is left behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(dir("c")), fs::directory_iterator()), 1);
}

TEST(Cache, SeveralRunsMayShareIt) {
  const TempDir dir;
  const lab::MatrixCache cache(dir("c"));
  const auto expected = generate("rmat:scale=9,degree=6").matrix;
  std::vector<std::thread> runs;
  std::atomic<int> right{0};
  for (int k = 0; k < 4; ++k)
    runs.emplace_back([&] {
      for (int time = 0; time < 3; ++time) {
        std::string said;
        right += cache.generate("rmat:scale=9,degree=6", said).matrix == expected;
      }
    });
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(right, 12);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir("c")), fs::directory_iterator()), 1);
}

TEST(Cache, AFolderThatCannotBeWrittenIsNoEnd) {
  const TempDir dir;
  const lab::MatrixCache cache(dir("c"));
  fs::remove(dir("c"));  // someone else did
  const auto made = lab::load("gen:grid:nx=4,ny=4", {}, cache);
  EXPECT_EQ(made.matrix.rows, 16);
  EXPECT_TRUE(made.cached.starts_with("not into the cache: ")) << made.cached;
  EXPECT_THROW(lab::MatrixCache(dir.write("a-file", "x")), BadInput);
}

}  // namespace
}  // namespace nz::test
