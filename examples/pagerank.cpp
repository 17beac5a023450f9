#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>
#include <vector>

#include <nonzero/nonzero.hpp>

// Ranks the nodes of an edge list: a line "from to" an edge, nodes numbered from 0. Without a file,
// a small web in which all roads lead to node 3, and node 5 leads nowhere.
int main(int count, char** arguments) {
  std::istringstream small("0 1\n0 3\n1 3\n2 3\n3 4\n4 3\n4 0\n1 2\n2 5\n");
  std::ifstream file;
  if (count > 1) file.open(arguments[1]);
  std::istream& in = count > 1 ? static_cast<std::istream&>(file) : small;

  std::vector<nz::index_t> from, to;
  nz::index_t nodes = 0;
  for (nz::index_t a, b; in >> a >> b;) {
    from.push_back(a);
    to.push_back(b);
    nodes = std::max({nodes, a + 1, b + 1});
  }
  if (nodes == 0) return std::fprintf(stderr, "no edges\n"), 1;
  const std::vector<double> weights(from.size(), 1.0);
  // Ranks flow against the rows: a plan of the transpose makes every step a plain product.
  const auto turned = nz::csr_from_triplets<double, std::int64_t>(nodes, nodes, to, from, weights);
  const auto plan = nz::plan(turned.view());

  std::vector<double> rank(nodes);
  nz::solve::PageRankOptions<double> options;
  options.transposed = true;
  const auto result = nz::solve::pagerank(plan, rank, options);

  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank[a] > rank[b]; });
  std::printf("%s\n", result.message.c_str());
  for (int i = 0; i < std::min(nodes, 10); ++i)
    std::printf("%6d  %.6f\n", order[i], rank[order[i]]);
  return result.ok() ? 0 : 1;
}
