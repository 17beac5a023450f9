#include "gpu/device/large_matrix.hpp"

#include <algorithm>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {
namespace {

Launch one_thread_each(std::int64_t n) {
  return {.blocks = static_cast<int>(std::min<std::int64_t>(n / 256 + 1, 1 << 16)), .threads = 256};
}

struct Write {
  static constexpr const char* name = "write large matrix";
  test::LargeMatrix m;
  std::int64_t* offsets;
  index_t* columns;
  float* values;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t row = t.global_index(); row <= m.rows; row += t.global_size())
      offsets[row] = m.offset(row);
    for (std::int64_t k = t.global_index(); k < m.nnz(); k += t.global_size()) {
      columns[k] = m.column(k);
      values[k] = static_cast<float>(m.value(k));
    }
  }
};

struct Multiply {
  static constexpr const char* name = "multiply large matrix";
  test::LargeMatrix m;
  Op op;
  int* sums;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t k = t.global_index(); k < m.nnz(); k += t.global_size()) {
      const index_t row = m.row(k), column = m.column(k);
      if (op == Op::none)
        t.atomic_add(sums + row, m.value(k) * m.x(column));
      else
        t.atomic_add(sums + column, m.value(k) * m.x(row));
    }
  }
};

}  // namespace

void write_large(const test::LargeMatrix& m, std::int64_t* offsets, index_t* columns,
                 float* values) {
  launch(one_thread_each(m.nnz()), Write{m, offsets, columns, values});
}

void multiply_large(const test::LargeMatrix& m, Op op, int* sums) {
  launch(one_thread_each(m.nnz()), Multiply{m, op, sums});
}

}  // namespace nz::NZ_HOME
