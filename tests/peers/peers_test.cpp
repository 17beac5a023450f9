#include "lab/peers/peers.hpp"

#include <set>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>

#include "kernels/conform.hpp"

// The peers are held to what our own kernels are held to. None need be there.
namespace nz::test {
namespace {

std::vector<const Kernel*> peers() {
  lab::add_peers();
  return match_kernels("peer/*");
}

// MKL's inspector may choose a padded format, and does not say so; cuSPARSE multiplies SELL's
// padding.
Forgiven forgiven(const Kernel& k) {
  return {.refusing = true,
          .infinities_spread = k.format == "mkl" || k.strategy.starts_with("sell"),
          .dense = k.strategy == "dense",
          .own_scalars = true};
}

TEST(Peers, EntriesAreComplete) {
  std::set<std::string> seen;
  for (const Kernel* k : peers()) {
    EXPECT_TRUE(seen.insert(k->id()).second) << k->id() << " is listed twice";
    EXPECT_FALSE(k->summary.empty()) << k->id();
    // Library and version.
    EXPECT_NE(k->source.find_first_of("0123456789"), k->source.npos) << k->id() << k->source;
    for (const ValueType t : all_value_types) EXPECT_TRUE(k->supports(t)) << k->id();
  }
  const std::size_t before = kernels().size();
  lab::add_peers();
  EXPECT_EQ(kernels().size(), before) << "added twice";
}

TEST(Peers, DenseRefusesWhatIsTooLarge) {
  peers();
  if (match_kernels("peer/openblas/dense").empty()) GTEST_SKIP() << "OpenBLAS is not here";
  const auto a = csr_from_triplets<double, std::int32_t>(20000, 20000, {}, {}, {});
  EXPECT_THROW(nz::plan(a.view(), {"peer/openblas/dense"}), Refused);
}

// Large enough that the libraries use their threads, and librsb its tuner.
TEST(Peers, ManyNonzerosOnSeveralThreads) {
  std::mt19937_64 random(seed());
  const BatteryMatrix grid{"grid", generate("grid:nx=90,ny=80,points=9").matrix};
  const BatteryMatrix graph{"graph", generate("rmat:scale=12,degree=16").matrix};
  for (const BatteryMatrix* m : {&grid, &graph}) {
    Exercises<float, std::int32_t> f32(*m, random);
    Exercises<double, std::int32_t> f64(*m, random);
    for (const Kernel* k : peers())
      for (const int threads : {1, 2, 3}) {
        Parameters p = without_limit(*k);
        if (k->format == "librsb") p = {{"tune_rounds", m == &grid ? 1 : 0}};
        if (k->runs_on != Device::Kind::cpu) continue;
        conform(*k, f32, p, cpu_device, threads, forgiven(*k));
        conform(*k, f64, p, cpu_device, threads, forgiven(*k));
      }
  }
}

class PeerConformance : public ::testing::TestWithParam<Place> {
 protected:
  template <class T, class O>
  void run() {
    NZ_NEEDS(GetParam().device);
    conform<T, O>(*GetParam().kernel, GetParam().device, forgiven(*GetParam().kernel));
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PeerConformance);

TEST_P(PeerConformance, F32Offsets32) { run<float, std::int32_t>(); }
TEST_P(PeerConformance, F32Offsets64) { run<float, std::int64_t>(); }
TEST_P(PeerConformance, F64Offsets32) { run<double, std::int32_t>(); }
TEST_P(PeerConformance, F64Offsets64) { run<double, std::int64_t>(); }

std::vector<Place> peer_places() {
  lab::add_peers();
  return places("peer/*");
}
INSTANTIATE_TEST_SUITE_P(Registry, PeerConformance, ::testing::ValuesIn(peer_places()), test_name);

}  // namespace
}  // namespace nz::test
