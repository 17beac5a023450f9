#include <string>
#include <vector>

#include <nonzero/formats.hpp>

#include "formats/messages.hpp"

// As validate_test.cpp, for the formats with narrow indices and values.
namespace nz {
namespace {

Csr<double, std::int32_t> from(index_t rows, index_t cols, const std::vector<index_t>& row,
                               const std::vector<index_t>& column, bool same_values = false) {
  std::vector<double> value(row.size(), 1.5);
  for (std::size_t k = 0; k < value.size() && !same_values; ++k)
    value[k] = 1.0 / static_cast<double>(k + 3);
  return csr_from_triplets<double, std::int32_t>(rows, cols, row, column, value);
}

TEST(Validate, Compact) {
  using M = Compact<double, std::int32_t>;
  // Two groups of rows: three columns from 0 on in a byte each, two from 10 on in two bytes.
  const std::vector<index_t> row{0, 0, 1, 65, 69}, column{0, 1, 5, 299, 10};
  const M a = compact_from_csr(from(70, 300, row, column).view());
  ASSERT_EQ(a.indices.size(), 8u);
  ASSERT_EQ(a.groups[1], (CompactGroup{4, 10, 2}));
  const auto says = [&](const std::string& want, const std::function<void(M&)>& spoil) {
    expect<M>(a, spoil, want);
  };
  says("compact: negative shape -1 x 300", [](M& b) { b.rows = -1; });
  says("compact: offsets has 70 elements, needs 71", [](M& b) { b.offsets.truncate(70); });
  says("compact: offsets start at 1, not 0", [](M& b) { b.offsets[0] = 1; });
  says("compact: row 1 ends at 3, before its start 9 (counting from 0)",
       [](M& b) { b.offsets[1] = 9; });
  says("compact: groups has 1 elements, needs 2", [](M& b) { b.groups.truncate(1); });
  says("compact: group 1: indices of 2 bytes at 8", [](M& b) { b.groups[1].index = 8; });
  says("compact: group 0: indices of 3 bytes at 0", [](M& b) { b.groups[0].width = 3; });
  says("compact: group 0: indices of 0 bytes at 0", [](M& b) { b.groups[0].width = 0; });
  says("compact: group 1: indices of 8 bytes at 4", [](M& b) { b.groups[1].width = 8; });
  says("compact: indices has 7 elements, needs 8", [](M& b) { b.indices.truncate(7); });
  says("CSR: row 0, entry 1: index 1 does not follow 7 (counting from 0)",
       [](M& b) { b.indices[0] = 7; });
  says("CSR: row 65, entry 3: index 309 is outside 0 to 299 (counting from 0)",
       [](M& b) { b.groups[1].base = 20; });
  says("CSR: row 0, entry 0: index -1 is outside 0 to 299 (counting from 0)",
       [](M& b) { b.groups[0].base = -1; });
  const std::size_t bytes = a.values.size();
  ASSERT_GT(bytes, 0u);
  says("compact: values has " + std::to_string(bytes - 1) + " elements, needs " +
           std::to_string(bytes),
       [&](M& b) { b.values.truncate(bytes - 1); });
  const M same = compact_from_csr(from(70, 300, row, column, true).view());
  ASSERT_EQ(same.code, ValueCode::constant);
  expect<M>(
      same, [](M& b) { b.table = {}; }, "compact: table has 0 elements, needs 1");
}

// Three diagonals of 70, and one entry far from them: nine slices of eight rows, two marks and the
// end.
class ValidatePacked : public ::testing::Test {
 protected:
  using M = Packed<double>;

  static M made(bool same_values = false) {
    std::vector<index_t> row, column;
    for (index_t i = 0; i < 70; ++i)
      for (index_t j : {i - 1, i, i + 1}) {
        if (j < 0 || j >= 70) continue;
        row.push_back(i);
        column.push_back(j);
      }
    row.push_back(2);
    column.push_back(60);
    return packed_from_csr(from(70, 70, row, column, same_values).view(), 100);
  }
  // Where a slice begins in the streams.
  static PackedMark at(const M& a, index_t s) {
    PackedMark m;
    for (index_t k = 0; k < s; ++k) m.pass(a.slice[k], PackedView<double>::lanes);
    return m;
  }

  void says(const std::string& want, const std::function<void(M&)>& spoil) const {
    expect<M>(a, spoil, "packed: " + want);
  }
  static std::string short_of(const char* what, std::size_t n) {
    return std::string(what) + " has " + std::to_string(n - 1) + " elements, needs " +
           std::to_string(n);
  }

  const M a = made();
};

TEST_F(ValidatePacked, Sizes) {
  ASSERT_EQ(a.slice.size(), 9u);
  ASSERT_EQ(a.mark.size(), 3u);
  says("negative shape -1 x 70", [](M& b) { b.rows = -1; });
  says("slice has 8 elements, needs 9", [](M& b) { b.slice.truncate(8); });
  says("mark has 2 elements, needs 3", [](M& b) { b.mark.truncate(2); });
  says(short_of("values", a.values.size()), [](M& b) { b.values.truncate(b.values.size() - 1); });
  says(short_of("masks", a.masks.size()), [](M& b) {
    b.masks.truncate(b.masks.size() - 1);
    b.values.truncate(b.masks.size() * 8 * b.view().value_bytes());
  });
  says(short_of("run_columns", a.run_columns.size()),
       [](M& b) { b.run_columns.truncate(b.run_columns.size() - 1); });
  says(short_of("indices", a.indices.size()),
       [](M& b) { b.indices.truncate(b.indices.size() - 1); });
  says("208 entries recorded, but 209 stored", [](M& b) { --b.entries; });
  const M same = made(true);
  ASSERT_EQ(same.code, ValueCode::constant);
  expect<M>(
      same, [](M& b) { b.table = {}; }, "packed: table has 0 elements, needs 1");
}

TEST_F(ValidatePacked, Marks) {
  says("slice 0 is not where its mark says", [](M& b) { ++b.mark[0].slot; });
  says("slice 8 is not where its mark says", [](M& b) { ++b.mark[1].slot; });
  says("slice 8 is not where its mark says", [](M& b) { --b.mark[1].run; });
  says("slice 8 is not where its mark says", [](M& b) { b.mark[1].index += 4; });
  says("the last mark is not the end", [](M& b) { ++b.mark[2].slot; });
  says("the last mark is not the end", [](M& b) { b.mark[2].index = -1; });
}

TEST_F(ValidatePacked, Slices) {
  ASSERT_GT(a.slice[0].picks, 0) << "the entry far away";
  says("slice 0: indices of 3 bytes", [](M& b) { b.slice[0].width = 3; });
  says("slice 0: indices of 0 bytes", [](M& b) { b.slice[0].width = 0; });
  ASSERT_EQ(a.slice[3].picks, 0);
  says("slice 3: indices of 1 bytes", [](M& b) { b.slice[3].width = 1; });
  ASSERT_TRUE(a.slice[3].band);
  const PackedMark third = at(a, 3), last = at(a, 8);
  const std::size_t slot = static_cast<std::size_t>(third.slot),
                    run = static_cast<std::size_t>(third.run);
  says("slice 3 is no band", [&](M& b) { b.masks[slot] = 0x7f; });
  says("slice 3 is no band", [&](M& b) { ++b.run_columns[run + 1]; });
  ASSERT_FALSE(a.slice[8].band);
  says("slice 8 is no band", [](M& b) { b.slice[8].band = true; });
  // Six rows are left for the last slice.
  const std::size_t end = static_cast<std::size_t>(last.slot);
  const std::string said = message_of<BadInput>([&] {
    M b = a;
    b.masks[end] = 0x80;
    b.validate();
  });
  EXPECT_TRUE(said.starts_with("packed: slice 8, lane 7: column ")) << said;
  for (const index_t far : {-8, 70}) {
    M b = a;
    b.run_columns[static_cast<std::size_t>(last.run)] = far;
    const std::string out = message_of<BadInput>([&] { b.validate(); });
    EXPECT_TRUE(out.starts_with("packed: slice 8, lane ") && out.ends_with(" is not in the matrix"))
        << out;
  }
}

}  // namespace
}  // namespace nz
