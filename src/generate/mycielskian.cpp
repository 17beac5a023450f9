#include <algorithm>

#include "generate/rows.hpp"
#include "generate/settings.hpp"

// The Mycielskian of a graph G with n vertices and adjacency matrix A has 2n + 1 vertices:
//       [ A  A  0 ]
//   A' = [ A  0  1 ]     no triangles are added, and one more colour is needed.
//       [ 0  1' 0 ]
// mycielskian2 is a single edge; mycielskianK is the Mycielskian of mycielskian(K-1).
namespace nz {
namespace {

constexpr index_t vertices(int k) {
  return static_cast<index_t>(3 * (std::int64_t{1} << (k - 2)) - 1);
}

std::int64_t degree(int k, index_t vertex) {
  std::int64_t times = 1, plus = 0;
  for (; k > 2; --k) {
    const index_t n = vertices(k - 1);
    if (vertex == 2 * n) return plus + times * n;
    if (vertex < n) {
      times *= 2;
    } else {
      vertex -= n;
      plus += times;
    }
  }
  return plus + times;
}

// Writes the neighbours in increasing order and returns the end.
index_t* neighbours(int k, index_t vertex, index_t* out) {
  if (k == 2) {
    *out = 1 - vertex;
    return out + 1;
  }
  const index_t n = vertices(k - 1);
  if (vertex < n) {
    index_t* half = neighbours(k - 1, vertex, out);
    return std::transform(out, half, half, [n](index_t j) { return j + n; });
  }
  if (vertex < 2 * n) {
    index_t* end = neighbours(k - 1, vertex - n, out);
    *end = 2 * n;
    return end + 1;
  }
  for (index_t j = n; j < 2 * n; ++j) *out++ = j;
  return out;
}

GeneratedMatrix make_mycielskian(const Settings& all) {
  const int k = static_cast<int>(whole(all, "k"));
  return from_rows(
      vertices(k), vertices(k), [k](index_t i) { return degree(k, i); },
      [k](index_t i, index_t* columns, double* values, std::int64_t n) {
        neighbours(k, i, columns);
        std::fill_n(values, n, 1.0);
      });
}

MatrixSize size_mycielskian(const Settings& all) {
  const int k = static_cast<int>(whole(all, "k"));
  double edges = 1;
  for (int j = 2; j < k; ++j) edges = 3 * edges + vertices(j);
  return size_by_rows(vertices(k), vertices(k), 2 * edges);
}

}  // namespace

Family mycielskian_family() {
  return {"mycielskian",
          "triangle-free graph of chromatic number k: short rows beside very long ones, all ones",
          "dinoia2025 table II",
          "mycielskian:k=12",
          {{"k", "chromatic number; 3*2^(k-2)-1 rows", 12, 2, 20}},
          make_mycielskian,
          size_mycielskian};
}

}  // namespace nz
