#include <cmath>
#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// Where the block-band Markov chain of chirila2025 is found after a long time: x = x P, by power
// iteration, and then checked by one more step.
int main() {
  const auto P = nz::generate("block-band:n=500,block=5,density=0.3").matrix;
  const auto plan = nz::plan(P.view(), {.op = nz::Op::transpose});

  std::vector<double> x(P.rows), moved(P.rows);
  nz::solve::StationaryOptions options;
  options.tolerance = 1e-12;
  const auto result = nz::solve::stationary(plan, x, options);
  std::printf("%s\n", result.message.c_str());

  plan.multiply(1.0, x, 0.0, moved, nz::Op::transpose);
  double change = 0, edge = 0;
  for (std::size_t i = 0; i < x.size(); ++i) change += std::abs(moved[i] - x[i]);
  for (std::size_t i = 0; i < 50; ++i) edge += x[i] + x[x.size() - 1 - i];
  std::printf("one more step changes it by %.1e; the outer fifth of the states has %.3f of it\n",
              change, edge);
  return result.ok() && change < 1e-11 ? 0 : 1;
}
