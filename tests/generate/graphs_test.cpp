#include <gtest/gtest.h>

#include <cmath>

#include <nonzero/error.hpp>

#include "generate/matrix_facts.hpp"

// Graphs, texts, formulas and optimality systems.
namespace nz {
namespace {

using test::for_entries;
using test::length;
using test::longest;
using test::make;
using test::shortest;
using test::symmetric;

TEST(Kkt, HasItsFourBlocks) {
  const GeneratedMatrix a =
      make("kkt:variables=900,constraints=300,couplings=2,per_row=4,dense=2,stretch=40");
  EXPECT_EQ(a.rows, 1200);
  EXPECT_EQ(a.nnz(), 900 + 2 * 899 + 2 * 870 + 2 * (298 * 4 + 2 * 900));
  EXPECT_TRUE(symmetric(a));
  for_entries(a, [](index_t i, index_t j, double) { EXPECT_TRUE(i < 900 || j < 900); });
  for (index_t i = 900; i < 1200; ++i) EXPECT_EQ(length(a, i), i < 1198 ? 4 : 900) << i;
  EXPECT_THROW(make("kkt:variables=90,per_row=50,stretch=40"), InvalidArgument);
}

TEST(Web, LinksStayMostlyWithinHostsAndPagesDiffer) {
  const GeneratedMatrix a = make("web:pages=20000,degree=10,longest=500,local=0.8");
  EXPECT_GT(a.nnz(), 20000 * 8);
  EXPECT_LT(a.nnz(), 20000 * 10);
  EXPECT_GT(longest(a), 150);
  std::int64_t near = 0;
  for_entries(a, [&](index_t i, index_t j, double) { near += std::abs(i - j) < 1000; });
  EXPECT_GT(static_cast<double>(near), 0.6 * static_cast<double>(a.nnz()));
  EXPECT_GT(longest(transpose(a.view())), 1000);  // popular pages
  // Hardly any link is near when none is within the host.
  const GeneratedMatrix b = make("web:pages=20000,degree=10,longest=500,local=0");
  near = 0;
  for_entries(b, [&](index_t i, index_t j, double) { near += std::abs(i - j) < 1000; });
  EXPECT_LT(static_cast<double>(near), 0.3 * static_cast<double>(b.nnz()));
}

TEST(Communities, AttachToWhoHasMany) {
  const GeneratedMatrix a = make("communities:n=10000,degree=5,community=500,mixing=0.2");
  EXPECT_TRUE(symmetric(a));
  EXPECT_GT(a.nnz(), 9 * 10000);
  EXPECT_GT(longest(a), 100);
  EXPECT_GE(shortest(a), 1);
  std::int64_t within = 0;
  for_entries(a, [&](index_t i, index_t j, double) {
    EXPECT_NE(i, j);
    within += i / 500 == j / 500;
  });
  EXPECT_GT(static_cast<double>(within), 0.5 * static_cast<double>(a.nnz()));
  EXPECT_LT(static_cast<double>(within), 0.9 * static_cast<double>(a.nnz()));
}

TEST(Terms, ColumnsFollowZipf) {
  const GeneratedMatrix a = make("terms:documents=4000,terms=3000,words=30,longest=200,topics=20");
  const GeneratedMatrix t = transpose(a.view());
  EXPECT_GT(longest(t), 1500);  // "the"
  EXPECT_LT(shortest(t), 20);
  EXPECT_GE(shortest(a), 1);
  EXPECT_GT(a.nnz(), 4000 * 20);
  for_entries(a, [](index_t, index_t, double v) {
    EXPECT_EQ(v, std::round(v));
    EXPECT_TRUE(v >= 1 && v <= 15);
  });
}

TEST(Sat, ClausesAreShortAndSomeVariablesEverywhere) {
  const GeneratedMatrix a = make("sat:clauses=20000,variables=3000,width=3.5,longest=80");
  EXPECT_NEAR(static_cast<double>(a.nnz()) / a.rows, 3.4, 0.2);
  EXPECT_GT(longest(a), 40);
  EXPECT_GE(shortest(a), 1);
  EXPECT_GT(longest(transpose(a.view())), 500);
  for_entries(a, [](index_t, index_t, double v) { EXPECT_EQ(std::abs(v), 1); });
  // Lengths that cannot be.
  EXPECT_THROW(make("sat:clauses=10,variables=5,width=6"), InvalidArgument);
}

}  // namespace
}  // namespace nz
