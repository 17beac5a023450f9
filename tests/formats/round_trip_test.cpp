#include <limits>

#include <nonzero/formats.hpp>
#include <nonzero/threads.hpp>

#include "formats/battery.hpp"

namespace nz {
namespace {

constexpr double any_ratio = std::numeric_limits<double>::infinity();

// there(csr view) and back(view) for every matrix of the battery.
template <class T, class O, class There, class Back>
void run(There there, Back back) {
  for (const auto& [name, original] : battery::all()) {
    SCOPED_TRACE(name);
    const Csr<T, O> a = csr_cast<T, O>(original.view());
    const auto stored = there(a.view());
    EXPECT_NO_THROW(stored.validate());
    EXPECT_EQ(stored.rows, a.rows);
    EXPECT_EQ(stored.cols, a.cols);
    EXPECT_EQ(stored.nnz(), a.nnz());
    EXPECT_EQ(stored.view().nnz, a.nnz());
    EXPECT_EQ(stored.view().bytes(), stored.bytes());
    const Csr<T, O> b = back(stored.view());
    EXPECT_NO_THROW(b.validate());
    EXPECT_TRUE(b == a);
    EXPECT_TRUE(stored == there(b.view()));
  }
}

template <class Types>
class RoundTrip : public ::testing::Test {};
TYPED_TEST_SUITE(RoundTrip, battery::AllTypes);

template <class... Arrays>
std::size_t sum_bytes(const Arrays&... arrays) {
  return ((arrays.size() * sizeof(typename Arrays::value_type)) + ... + std::size_t{0});
}

TYPED_TEST(RoundTrip, Csr) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Csr<T, O> b = csr_cast<T, O>(a);
        EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.columns, b.values));
        return b;
      },
      [](const CsrView<T, O>& a) { return csr_cast<T, O>(a); });
}

TYPED_TEST(RoundTrip, CsrOverOtherOffsets) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        return csr_with_offsets<std::int64_t>(csr_with_offsets<std::int32_t>(csr_cast<T, O>(a)));
      },
      [](const CsrView<T, std::int64_t>& a) { return csr_cast<T, O>(a); });
}

TYPED_TEST(RoundTrip, TransposedTwice) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>([](const CsrView<T, O>& a) { return transpose(transpose(a).view()); },
            [](const CsrView<T, O>& a) { return csr_cast<T, O>(a); });
}

// Entry by entry, so that a transpose that changes nothing does not pass.
TYPED_TEST(RoundTrip, TheTransposeHasEachEntryAtItsMirrorPlace) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const auto& [name, original] : battery::all()) {
    const Csr<T, O> a = csr_cast<T, O>(original.view()), t = transpose(a.view());
    std::vector<index_t> row, column;
    for (index_t i = 0; i < a.rows; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        row.push_back(a.columns[k]);
        column.push_back(i);
      }
    EXPECT_TRUE(t == (csr_from_triplets<T, O>(a.cols, a.rows, row, column,
                                              std::span<const T>(a.values.data(), row.size()))))
        << name;
  }
}

TYPED_TEST(RoundTrip, Coo) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Coo<T> b = coo_from_csr(a);
        EXPECT_EQ(b.bytes(), sum_bytes(b.row, b.column, b.values));
        return b;
      },
      [](const CooView<T>& a) { return coo_to_csr<O>(a); });
}

TYPED_TEST(RoundTrip, Compact) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Compact<T, O> b = compact_from_csr(a);
        EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.groups, b.indices, b.values, b.table));
        return b;
      },
      [](const CompactView<T, O>& a) { return compact_to_csr(a); });
}

TYPED_TEST(RoundTrip, Packed) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Packed<T> b = packed_from_csr(a, any_ratio);
        EXPECT_EQ(b.bytes(),
                  sum_bytes(b.slice, b.mark, b.masks, b.run_columns, b.indices, b.values, b.table));
        return b;
      },
      [](const PackedView<T>& a) { return packed_to_csr<O>(a); });
}

TYPED_TEST(RoundTrip, Csc) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Csc<T, O> b = csc_from_csr(a);
        EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.row, b.values));
        return b;
      },
      [](const CscView<T, O>& a) { return csc_to_csr(a); });
}

TYPED_TEST(RoundTrip, Dcsr) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Dcsr<T, O> b = dcsr_from_csr(a);
        EXPECT_EQ(b.bytes(), sum_bytes(b.row, b.offsets, b.columns, b.values));
        EXPECT_EQ(b.view().listed, count_nonempty_rows(a));
        return b;
      },
      [](const DcsrView<T, O>& a) { return dcsr_to_csr(a); });
}

TYPED_TEST(RoundTrip, Csb) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const int bits : {0, 1, 2, 5, 7, 16}) {
    SCOPED_TRACE(testing::Message() << "blocks of 2^" << bits);
    run<T, O>(
        [&](const CsrView<T, O>& a) {
          Csb<T, O> b = csb_from_csr(a, bits, any_ratio);
          EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.places, b.values));
          return b;
        },
        [](const CsbView<T, O>& a) { return csb_to_csr(a); });
  }
}

TYPED_TEST(RoundTrip, CsbBaseline) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const int beta : {1, 2, 4, 32, 256, 32768}) {
    SCOPED_TRACE(testing::Message() << "beta " << beta);
    run<T, O>(
        [&](const CsrView<T, O>& a) {
          CsbBaseline<T, O> b = csb_baseline_from_csr(a, beta, any_ratio);
          EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.places, b.values));
          return b;
        },
        [](const CsbBaselineView<T, O>& a) { return csb_baseline_to_csr(a); });
  }
}

TYPED_TEST(RoundTrip, Ecsb) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const int beta : {1, 4, 32, 32768})
    for (const EcsbChoice choice : {EcsbChoice::by_rule, EcsbChoice::coo, EcsbChoice::ell})
      for (const HybRule rule : {HybRule{3, 0}, HybRule{1, 20}}) {
        SCOPED_TRACE(testing::Message() << "beta " << beta);
        run<T, O>(
            [&](const CsrView<T, O>& a) {
              Ecsb<T, O> b = ecsb_from_csr(a, beta, choice, rule, any_ratio);
              EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.ell.blocks, b.ell.places, b.ell.values,
                                             b.coo.blocks, b.coo.places, b.coo.values));
              return b;
            },
            [](const EcsbView<T, O>& a) { return ecsb_to_csr(a); });
      }
}

TYPED_TEST(RoundTrip, Gcsb) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const auto& [beta, group] : std::vector<std::pair<index_t, index_t>>{
           {1, 1}, {1, 7}, {2, 4}, {4, 32}, {32, 32}, {8, 1000}, {32768, 3}}) {
    SCOPED_TRACE(testing::Message() << "beta " << beta << ", groups of " << group);
    run<T, O>(
        [&, side = beta, size = group](const CsrView<T, O>& a) {
          Gcsb<T, O> b = gcsb_from_csr(a, side, size, any_ratio);
          EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.numbers, b.places, b.values));
          EXPECT_EQ(b.fill(), static_cast<std::int64_t>(b.values.size()) - a.nnz);
          EXPECT_TRUE(size > 1 || b.fill() == 0);
          return b;
        },
        [](const GcsbView<T, O>& a) { return gcsb_to_csr(a); });
  }
}

TYPED_TEST(RoundTrip, Tiles) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const int side : {0, 1, 2, 16, 256, 512, 32768}) {
    SCOPED_TRACE(testing::Message() << "side " << side);
    run<T, O>(
        [&](const CsrView<T, O>& a) {
          Tiles<T> b = tiles_from_csr(a, side);
          EXPECT_EQ(b.bytes(), sum_bytes(b.row_starts, b.column_starts, b.by_column, b.tile_row,
                                         b.tile_column, b.first, b.first_group, b.group,
                                         b.short_places, b.long_rows, b.long_columns, b.values));
          return b;
        },
        [](const TilesView<T>& a) { return tiles_to_csr<O>(a); });
  }
}

TYPED_TEST(RoundTrip, Ell) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Ell<T> b = ell_from_csr(a, any_ratio);
        EXPECT_EQ(b.bytes(), sum_bytes(b.columns, b.values));
        EXPECT_EQ(b.fill(), static_cast<std::int64_t>(b.values.size()) - a.nnz);
        return b;
      },
      [](const EllView<T>& a) { return ell_to_csr<O>(a); });
}

TYPED_TEST(RoundTrip, Sell) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const auto& [chunk, sigma] : std::vector<std::pair<index_t, index_t>>{
           {1, 1}, {2, 1}, {4, 8}, {5, 7}, {32, 1}, {32, 1024}, {1000, 3}, {7, 2147483647}}) {
    SCOPED_TRACE(testing::Message() << "chunk " << chunk << ", sigma " << sigma);
    run<T, O>(
        [&, c = chunk, s = sigma](const CsrView<T, O>& a) {
          Sell<T, O> b = sell_from_csr(a, c, s, any_ratio);
          EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.permutation, b.columns, b.values));
          EXPECT_TRUE(c > 1 || b.fill() == 0);
          return b;
        },
        [](const SellView<T, O>& a) { return sell_to_csr(a); });
  }
}

TYPED_TEST(RoundTrip, Hyb) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const HybRule rule :
       {HybRule{}, HybRule{3, 0}, HybRule{1, 0}, HybRule{1000, 0}, HybRule{2, 20}}) {
    run<T, O>(
        [&](const CsrView<T, O>& a) {
          Hyb<T> b = hyb_from_csr(a, rule);
          EXPECT_EQ(b.bytes(),
                    sum_bytes(b.ell.columns, b.ell.values, b.coo.row, b.coo.column, b.coo.values));
          return b;
        },
        [](const HybView<T>& a) { return hyb_to_csr<O>(a); });
  }
}

TYPED_TEST(RoundTrip, Bsr) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const auto& [r, c] : std::vector<std::pair<index_t, index_t>>{
           {1, 1}, {1, 4}, {4, 1}, {2, 2}, {3, 5}, {5, 5}, {1, 200}, {200, 200}}) {
    SCOPED_TRACE(testing::Message() << "blocks of " << r << " x " << c);
    run<T, O>(
        [&, rows = r, cols = c](const CsrView<T, O>& a) {
          Bsr<T, O> b = bsr_from_csr(a, rows, cols, any_ratio);
          EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.columns, b.values));
          EXPECT_TRUE(rows * cols > 1 || b.fill() == 0);
          return b;
        },
        [](const BsrView<T, O>& a) { return bsr_to_csr(a); });
  }
}

TYPED_TEST(RoundTrip, Dia) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  run<T, O>(
      [](const CsrView<T, O>& a) {
        Dia<T> b = dia_from_csr(a, any_ratio);
        EXPECT_EQ(b.bytes(), sum_bytes(b.offsets, b.values));
        return b;
      },
      [](const DiaView<T>& a) { return dia_to_csr<O>(a); });
}

}  // namespace
}  // namespace nz
