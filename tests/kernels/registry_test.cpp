#include <nonzero/registry.hpp>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/plan.hpp>

#include "plan/kernel_set.hpp"

namespace nz {
namespace {

// A method that the papers cite: its name, its authors and the year.
bool is_cited(const Kernel& k) {
  return std::regex_match(std::string(k.source),
                          std::regex("[A-Za-z0-9-]+: [A-Z].* 20[0-9]{2}(, 20[0-9]{2})?"));
}

TEST(Registry, EntriesAreCompleteAndNamesUnique) {
  std::set<std::string> seen;
  for (const Kernel& k : kernels()) {
    EXPECT_TRUE(seen.insert(k.id()).second) << k.id() << " is listed twice";
    EXPECT_TRUE(std::regex_match(k.id(), std::regex("(cpu|gpu|peer)/[a-z0-9-]+/[a-z0-9-]+")))
        << k.id();
    EXPECT_FALSE(k.summary.empty()) << k.id();
    EXPECT_TRUE(is_cited(k) ||
                std::regex_search(
                    std::string(k.source),
                    std::regex("^(own|(chirila|messa|dinoia|mazzucchi|izawa)20[0-9]{2} .+)$")))
        << k.id() << ": " << k.source;
    EXPECT_TRUE(k.supports(ValueType::f32) || k.supports(ValueType::f64)) << k.id();
    std::set<std::string_view> names;
    for (const Parameter& p : k.parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << k.id() << ": " << p.name << " twice";
      EXPECT_LE(p.min, p.initial) << k.id() << ": " << p.name;
      EXPECT_LE(p.initial, p.max) << k.id() << ": " << p.name;
      if (p.name == "max_ratio") {
        EXPECT_EQ(static_cast<double>(p.initial), default_max_ratio) << k.id();
      }
      EXPECT_FALSE(p.summary.empty()) << k.id() << ": " << p.name;
    }
    EXPECT_EQ(names.contains(deterministic_parameter("").name),
              k.determinism == Determinism::on_demand)
        << k.id();
  }
}

// What a plan was once told is not refused later: these ranges are the same wherever the name is.
TEST(Registry, EntriesKeepTheirRanges) {
  const std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> ranges = {
      {"grain", {1, 1 << 30}}, {"tasks_per_thread", {1, 1024}}};
  std::set<std::string_view> seen;
  for (const Kernel& k : kernels())
    for (const Parameter& p : k.parameters)
      if (const auto range = ranges.find(p.name); range != ranges.end()) {
        EXPECT_EQ(std::pair(p.min, p.max), range->second) << k.id() << ": " << p.name;
        seen.insert(p.name);
      }
  EXPECT_EQ(seen.size(), ranges.size());
}

// What a kernel was called in the version before: calls and patterns find it, lists do not show it.
TEST(Registry, OldIdsNameTheSameKernels) {
  constexpr std::string_view was = "gpu/compact/slabs", is = "gpu/slabs/balanced";
  EXPECT_EQ(current_id(was), is);
  EXPECT_EQ(current_id(is), is);
  EXPECT_EQ(current_id("no/such/kernel"), "no/such/kernel");
  EXPECT_TRUE(id_matches(is, "gpu/compact/*") && id_matches(is, was) &&
              id_matches(is, "*/slabs/*"));
  EXPECT_FALSE(id_matches("gpu/compact/balanced", was));
  for (const Kernel& k : kernels()) EXPECT_EQ(current_id(k.id()), k.id()) << "both old and new";
  if (match_kernels("gpu/*").empty()) GTEST_SKIP() << "no GPU kernels";
  EXPECT_EQ(&find_kernel(was), &find_kernel(is));
  EXPECT_EQ(match_kernels(was), match_kernels(is));
  EXPECT_EQ(match_kernels("gpu/*/slabs"), match_kernels(is));
  EXPECT_EQ(match_kernels("*slabs*").size(), 1u);
}

// Every format of the registry, and for each one kernel that takes any matrix, op and type: the
// serial one, or the one named here. A format that comes or goes must be written here.
TEST(Registry, EveryFormatHasAKernelForEverything) {
  const std::map<std::string, std::string> plain = {
      {"coo", "cpu/coo/serial"},
      {"csr", "cpu/csr/serial"},
      {"csc", "cpu/csc/serial"},
      {"ell", "cpu/ell/serial"},
      {"dcsr", "cpu/dcsr/balanced"},
      {"sell", "cpu/sell/serial"},
      {"hyb", "cpu/hyb/serial"},
      {"bsr", "cpu/bsr/serial"},
      {"dia", "cpu/dia/serial"},
      {"csb", "cpu/csb/block-rows"},
      {"compact", "cpu/compact/balanced"},
      {"packed", "cpu/packed/slices"},
      {"csb-baseline", "gpu/csb-baseline/thread-per-block"},
      {"ecsb", "gpu/ecsb/by-rule"},
      {"gcsb", "gpu/gcsb/thread-per-block"},
      {"tile", "gpu/tile/balanced"},
      {"slabs", "gpu/slabs/balanced"},
      {"panels", "gpu/panels/staged"},
      {"clusters", "gpu/clusters/staged"}};
  std::set<std::string> found, named;
  for (const Kernel& k : kernels())
    if (!is_cited(k)) found.insert(std::string(k.format));  // those have what was published
  const bool gpu = !match_kernels("gpu/*").empty();
  for (const auto& [format, id] : plain) {
    if (!gpu && id.starts_with("gpu/")) continue;
    named.insert(format);
    const Kernel& k = find_kernel(id);
    EXPECT_EQ(k.format, format);
    for (const Op op : all_ops) EXPECT_TRUE(k.supports(op)) << k.id();
    for (const ValueType t : all_value_types) EXPECT_TRUE(k.supports(t)) << k.id();
  }
  EXPECT_EQ(found, named);
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

// A kernel with a paper's name begins with what the paper prints: listings 2 and 3 of chirila2025
// scale y in a pass before.
TEST(Registry, ListingsWithAPassOverYBeginWithIt) {
  for (const char* id : {"cpu/bsr/serial", "cpu/bsr/granular-row"})
    EXPECT_EQ(find_kernel(id).resolve({}).at("first_pass"), 1) << id;
}

// Products on the CPU are done where they are asked for; a stream of a device is refused.
TEST(Registry, SomeKernelsRepeatTheirBitsOnDemand) {
  Kernel k{.determinism = Determinism::on_demand,
           .parameters = {deterministic_parameter("for the test")}};
  Parameters p;
  k.make_deterministic(p);
  EXPECT_EQ(p, (Parameters{{"deterministic", 1}}));
  Parameters told{{"deterministic", 0}};
  k.make_deterministic(told);
  EXPECT_EQ(told.at("deterministic"), 0) << "what was asked for was changed";
  for (const Op op : all_ops) {
    EXPECT_FALSE(k.repeats(op));
    EXPECT_FALSE(k.repeats(op, {}));
    EXPECT_FALSE(k.repeats(op, told));
    EXPECT_TRUE(k.repeats(op, p));
  }
  for (const Determinism other : {Determinism::never, Determinism::n_only, Determinism::always}) {
    k.determinism = other;
    Parameters none;
    k.make_deterministic(none);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(k.repeats(Op::none, p), other != Determinism::never);
    EXPECT_EQ(k.repeats(Op::transpose, p), other == Determinism::always);
  }
}

TEST(Registry, ProductsOnTheCpuHaveNoStream) {
  const Csr<double, std::int32_t> a{2, 2, {0, 1, 2}, {1, 0}, {3, 5}};
  const Plan<double> p = plan(a.view(), {.kernel = "cpu/csr/serial"});
  const std::vector<double> x{1, 2};
  std::vector<double> y{-1, -1};
  const StreamView there{Device{Device::Kind::cuda, 0}, nullptr};
  EXPECT_THROW(p.product().multiply_on(there, Op::none, 1, x, 0, y), InvalidArgument);
  EXPECT_EQ(y, (std::vector<double>{-1, -1}));
  p.product().multiply_on({}, Op::none, 1, x, 0, y);
  EXPECT_EQ(y, (std::vector<double>{6, 5}));
}

// On a set of its own: what this program's registry has stays as it is for the other tests.
TEST(Registry, TakesKernelsOfOthersUnderNewIds) {
  const std::size_t registered = kernels().size();
  KernelSet set(kernels());
  const Kernel* first = &set.all().front();
  const std::string id = first->id();
  EXPECT_THROW(set.add({*first}), InvalidArgument);
  Kernel mine = *first;
  mine.family = "test";
  EXPECT_THROW(set.add({mine, *first}), InvalidArgument);
  EXPECT_THROW(set.add({mine, mine}), InvalidArgument);
  EXPECT_EQ(set.all().size(), registered) << "refused, but some were added";
  EXPECT_THROW(set.find(mine.id()), InvalidArgument);

  set.add({mine});
  EXPECT_EQ(set.all().size(), registered + 1);
  EXPECT_EQ(&set.find(mine.id()), &set.all().back());
  EXPECT_EQ(set.match("test/*"), std::vector<const Kernel*>{&set.all().back()});
  EXPECT_EQ(&set.all().front(), first) << "entries move when others are added";
  EXPECT_EQ(first->id(), id);

  // The same name on another kind of device is another kernel; the first one is found.
  Kernel there = mine;
  there.runs_on = mine.runs_on == Device::Kind::cpu ? Device::Kind::cuda : Device::Kind::cpu;
  set.add({there});
  EXPECT_EQ(set.match(mine.id()).size(), 2u);
  EXPECT_EQ(set.find(mine.id()).runs_on, mine.runs_on);
  EXPECT_EQ(kernels().size(), registered);
}

}  // namespace
}  // namespace nz
