#include "lab/bench/trial.hpp"

#include <utility>

#include <nonzero/error.hpp>

#include "lab/bench/vectors.hpp"
#include "lab/bench/verify.hpp"

namespace nz::lab {
namespace {

template <Offset O>
void run(Trial& t, const Product<double>& product, const CsrView<double, O>& a,
         const Budget& budget) {
  const Verdict verdict = verify(product, a, {.op = t.op});
  t.worst_error = verdict.worst;
  if (!verdict.right()) {
    t.outcome = Trial::Outcome::wrong;
    t.reason = verdict.message();
    return;
  }
  auto in = static_cast<std::size_t>(a.cols), out = static_cast<std::size_t>(a.rows);
  if (t.op == Op::transpose) std::swap(in, out);
  Array<double> x(in), y(out, 0);
  fill_random<double>({x.data(), in}, 1);
  const Timing timing =
      measure_product<double>(product, t.op, {x.data(), in}, {y.data(), out}, budget);
  t.seconds = timing.median();
  t.samples = static_cast<int>(timing.samples.size());
  t.traffic = product.traffic(t.op, false);
  t.bytes_per_second = static_cast<double>(t.traffic) / t.seconds;
}

template <Offset O>
std::vector<Trial> try_view(const Kernel& kernel, const std::string& matrix,
                            const CsrView<double, O>& a, const Budget& budget) {
  Trial blank{.kernel = &kernel, .matrix = matrix};
  Prepared<double> ready;
  try {
    ready = prepare(kernel, a);
  } catch (const Refused& e) {
    blank.outcome = Trial::Outcome::refused;
    blank.reason = e.what();
    return {blank};
  } catch (const NoResource& e) {
    blank.outcome = Trial::Outcome::no_resource;
    blank.reason = e.what();
    return {blank};
  }
  blank.prepare_seconds = ready.seconds;
  blank.bytes = ready.product->borrows() ? a.bytes() : ready.product->bytes();
  std::vector<Trial> all;
  for (const Op op : all_ops) {
    if (!kernel.supports(op)) continue;
    all.push_back(blank);
    all.back().op = op;
    run(all.back(), *ready.product, a, budget);
  }
  return all;
}

}  // namespace

std::string_view name(Trial::Outcome o) {
  switch (o) {
    case Trial::Outcome::right:
      return "right";
    case Trial::Outcome::wrong:
      return "wrong";
    case Trial::Outcome::refused:
      return "refused";
    case Trial::Outcome::no_resource:
      return "no resource";
  }
  return "?";
}

std::vector<Trial> try_kernel(const Kernel& kernel, const std::string& name, const Narrowed& a,
                              const Budget& budget) {
  return std::visit([&](const auto& m) { return try_view(kernel, name, m.view(), budget); }, a);
}

}  // namespace nz::lab
