#include <gtest/gtest.h>

#include <map>
#include <string>

#include <fmt/format.h>
#include <nonzero/threads.hpp>

#include "generate/matrix_facts.hpp"
#include "generate/spec.hpp"

namespace nz {
namespace {

using test::checksum;
using test::make;

class Threads : public testing::Test {
 protected:
  void TearDown() override { set_threads(before_); }
  int before_ = threads();
};

// The examples are large enough to be split among threads.
std::vector<std::string> specs() {
  std::vector<std::string> all;
  for (const Family& f : families()) all.emplace_back(f.example);
  all.emplace_back("profile:rows=4000,cols=4000,nnz=50000,min=0,max=300,form=1,block=3,diagonal=1");
  all.emplace_back("profile:rows=4000,cols=4000,nnz=50000,min=0,max=300,form=2,shape=2,diagonal=1");
  all.emplace_back("giant:n=20000,length=9000,degree=1.5,symmetric=1");
  return all;
}

TEST_F(Threads, TheirNumberDoesNotMatter) {
  for (const std::string& spec : specs()) {
    set_threads(1);
    const GeneratedMatrix one = make(spec);
    for (const int n : {2, 3, 7}) {
      set_threads(n);
      EXPECT_EQ(generate(spec).matrix, one) << spec << " with " << n << " threads";
    }
  }
}

TEST(Seed, ChangesTheMatrix) {
  for (const std::string& text : specs()) {
    Spec spec = parse_spec(text);
    const auto seed = spec.settings.find("seed");
    if (seed == spec.settings.end()) continue;
    const std::uint64_t first = checksum(make(to_string(spec)));
    seed->second = 2;
    EXPECT_NE(checksum(make(to_string(spec))), first) << text;
    seed->second = 1;
    EXPECT_EQ(checksum(make(to_string(spec))), first) << text;
  }
}

// A generator that changes makes every recorded benchmark incomparable: it must not happen
// unnoticed, on any machine or compiler.
TEST(Golden, SmallMatricesStayWhatTheyAre) {
  const std::map<std::string, std::uint64_t> golden = {
#include "generate/golden.inc"
  };
  std::map<std::string_view, int> covered;
  for (const auto& [spec, expected] : golden) {
    // A family that makes another matrix also needs another number in lab/bench/cache.cpp.
    EXPECT_EQ(checksum(make(spec)), expected)
        << fmt::format("{{\"{}\", 0x{:016X}u}},", spec, checksum(make(spec)));
    ++covered[parse_spec(spec).family->name];
  }
  for (const Family& f : families()) EXPECT_GT(covered[f.name], 0) << f.name;
}

}  // namespace
}  // namespace nz
