#include <nonzero/registry.hpp>

#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

TEST(Registry, EntriesAreCompleteAndNamesUnique) {
  std::set<std::string> seen;
  for (const Kernel& k : kernels()) {
    EXPECT_TRUE(seen.insert(k.id()).second) << k.id() << " is listed twice";
    EXPECT_TRUE(std::regex_match(k.id(), std::regex("(cpu|gpu|peer)/[a-z0-9-]+/[a-z0-9-]+")))
        << k.id();
    EXPECT_FALSE(k.summary.empty()) << k.id();
    EXPECT_TRUE(std::regex_search(
        std::string(k.source),
        std::regex("^(own|(chirila|messa|dinoia|mazzucchi|izawa)20[0-9]{2} .+)$")))
        << k.id() << ": " << k.source;
    EXPECT_TRUE(k.supports(ValueType::f32) || k.supports(ValueType::f64)) << k.id();
    std::set<std::string_view> names;
    for (const Parameter& p : k.parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << k.id() << ": " << p.name << " twice";
      EXPECT_LE(p.min, p.initial) << k.id() << ": " << p.name;
      EXPECT_LE(p.initial, p.max) << k.id() << ": " << p.name;
      EXPECT_FALSE(p.summary.empty()) << k.id() << ": " << p.name;
    }
  }
}

TEST(Registry, HasTheSerialKernelOfEveryFormat) {
  for (const char* format : {"coo", "csr", "csc", "ell", "sell", "hyb", "bsr", "dia"}) {
    const Kernel& k = find_kernel(std::string("cpu/") + format + "/serial");
    for (const Op op : all_ops) EXPECT_TRUE(k.supports(op)) << k.id();
    for (const ValueType t : all_value_types) EXPECT_TRUE(k.supports(t)) << k.id();
  }
}

TEST(Registry, UnknownNameListsTheNearest) {
  try {
    find_kernel("cpu/crs/serial");
    FAIL() << "found a kernel that does not exist";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("cpu/csr/serial"), std::string::npos) << e.what();
  }
}

TEST(Registry, MatchesPatterns) {
  EXPECT_EQ(match_kernels("*").size(), kernels().size());
  ASSERT_EQ(match_kernels("cpu/csr/serial").size(), 1u);
  ASSERT_EQ(match_kernels("cpu/cs?/ser*").size(), 2u);  // csr and csc
  EXPECT_TRUE(match_kernels("nothing*").empty());
  EXPECT_TRUE(match_kernels("").empty());
}

TEST(Registry, ResolvesParameters) {
  const Kernel& bsr = find_kernel("cpu/bsr/serial");
  ASSERT_FALSE(bsr.parameters.empty());
  const Parameter& first = bsr.parameters.front();
  const std::string name(first.name);
  EXPECT_EQ(bsr.resolve({}).at(name), first.initial);
  EXPECT_EQ(bsr.resolve({{name, first.max}}).at(name), first.max);
  EXPECT_THROW(bsr.resolve({{name, first.max + 1}}), InvalidArgument);
  EXPECT_THROW(bsr.resolve({{"no_such_parameter", 1}}), InvalidArgument);
}

TEST(Registry, TakesKernelsOfOthersUnderNewIds) {
  const std::size_t before = kernels().size();
  const Kernel* first = &kernels().front();
  EXPECT_THROW(add_kernels({*first}), InvalidArgument);
  EXPECT_EQ(kernels().size(), before);
  Kernel mine = *first;
  mine.device = "test";
  add_kernels({mine});
  EXPECT_EQ(&find_kernel(mine.id()), &kernels().back());
  EXPECT_EQ(&kernels().front(), first);
}

}  // namespace
}  // namespace nz
