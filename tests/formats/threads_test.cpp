#include <random>

#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>
#include <nonzero/threads.hpp>

#include "formats/messages.hpp"

// Matrices large enough that every conversion splits its work.
namespace nz {
namespace {

class Threads : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(before); }
  const int before = threads();

  // Rows of 0 to 6 entries near the diagonal, and one long row.
  static Csr<double, std::int32_t> large() {
    const index_t n = 20'000;
    std::mt19937 random(11);
    std::vector<index_t> row, column;
    std::vector<double> value;
    for (index_t i = 0; i < n; ++i) {
      const auto length = static_cast<index_t>(random() % 7);
      for (index_t k = 0; k < length; ++k) {
        row.push_back(i);
        column.push_back((i + 3 * k) % n);
        value.push_back(1 + static_cast<double>(random() % 9));
      }
    }
    for (index_t j = 1; j < 60; ++j) {
      row.push_back(12'000);
      column.push_back(j * 7);
      value.push_back(j);
    }
    return csr_from_triplets<double, std::int32_t>(n, n, row, column, value);
  }
};

TEST_F(Threads, ConversionsDoNotDependOnTheirNumber) {
  set_threads(1);
  const auto a = large();
  const auto csc = csc_from_csr(a.view());
  const auto coo = coo_from_csr(a.view());
  const auto csb = csb_from_csr(a.view());
  const auto baseline = csb_baseline_from_csr(a.view(), 64);
  const auto ecsb = ecsb_from_csr(a.view(), 128);
  const auto gcsb = gcsb_from_csr(a.view(), 64, 32, 1000);
  const auto ell = ell_from_csr(a.view(), 100);
  const auto sell = sell_from_csr(a.view(), 8, 64, 100);
  const auto hyb = hyb_from_csr(a.view());
  const auto bsr = bsr_from_csr(a.view(), 3, 2, 100);
  const auto dia = dia_from_csr(a.view(), 100'000);
  const auto compact = compact_from_csr(a.view());
  const auto packed = packed_from_csr(a.view(), 100);
  const auto tiles = tiles_from_csr(a.view(), 64);
  EXPECT_EQ(ecsb.kind(), EcsbKind::hybrid);
  EXPECT_GT(hyb.ell.width, 0);
  EXPECT_GT(hyb.coo.nnz(), 0);
  for (const int n : {1, 2, 3, 8}) {
    SCOPED_TRACE(n);
    set_threads(n);
    EXPECT_TRUE(csc_from_csr(a.view()) == csc);
    EXPECT_TRUE(coo_from_csr(a.view()) == coo);
    EXPECT_TRUE(csb_from_csr(a.view()) == csb);
    EXPECT_TRUE(csb_baseline_from_csr(a.view(), 64) == baseline);
    EXPECT_TRUE(ecsb_from_csr(a.view(), 128) == ecsb);
    EXPECT_TRUE(gcsb_from_csr(a.view(), 64, 32, 1000) == gcsb);
    EXPECT_TRUE(ell_from_csr(a.view(), 100) == ell);
    EXPECT_TRUE(sell_from_csr(a.view(), 8, 64, 100) == sell);
    EXPECT_TRUE(hyb_from_csr(a.view()) == hyb);
    EXPECT_TRUE(bsr_from_csr(a.view(), 3, 2, 100) == bsr);
    EXPECT_TRUE(dia_from_csr(a.view(), 100'000) == dia);
    EXPECT_TRUE(compact_from_csr(a.view()) == compact);
    EXPECT_TRUE(packed_from_csr(a.view(), 100) == packed);
    EXPECT_TRUE(tiles_from_csr(a.view(), 64) == tiles);
    EXPECT_TRUE(csc_to_csr(csc.view()) == a);
    EXPECT_TRUE(coo_to_csr<std::int32_t>(coo.view()) == a);
    EXPECT_TRUE(csb_to_csr(csb.view()) == a);
    EXPECT_TRUE(csb_baseline_to_csr(baseline.view()) == a);
    EXPECT_TRUE(ecsb_to_csr(ecsb.view()) == a);
    EXPECT_TRUE(gcsb_to_csr(gcsb.view()) == a);
    EXPECT_TRUE(ell_to_csr<std::int32_t>(ell.view()) == a);
    EXPECT_TRUE(sell_to_csr(sell.view()) == a);
    EXPECT_TRUE(hyb_to_csr<std::int32_t>(hyb.view()) == a);
    EXPECT_TRUE(bsr_to_csr(bsr.view()) == a);
    EXPECT_TRUE(dia_to_csr<std::int32_t>(dia.view()) == a);
    EXPECT_TRUE(compact_to_csr(compact.view()) == a);
    EXPECT_TRUE(packed_to_csr<std::int32_t>(packed.view()) == a);
    EXPECT_TRUE(tiles_to_csr<std::int32_t>(tiles.view()) == a);
    a.validate();
    csc.validate();
    coo.validate();
    csb.validate();
    baseline.validate();
    ecsb.validate();
    gcsb.validate();
    ell.validate();
    sell.validate();
    hyb.validate();
    bsr.validate();
    dia.validate();
    compact.validate();
    packed.validate();
    tiles.validate();
  }
}

TEST_F(Threads, TheFirstFaultIsNamedWhicheverThreadFindsIt) {
  auto a = large();
  const std::int32_t early = a.offsets[8'000], late = a.offsets[19'000];
  a.columns[early] = -7;
  a.columns[late] = -8;
  index_t row = 0;
  while (a.offsets[row + 1] <= early) ++row;
  for (const int n : {1, 2, 3, 8}) {
    set_threads(n);
    EXPECT_EQ(message_of<BadInput>([&] { a.validate(); }),
              "CSR: row " + std::to_string(row) + ", entry " + std::to_string(early) +
                  ": index -7 is outside 0 to 19999 (counting from 0)");
  }
}

}  // namespace
}  // namespace nz
