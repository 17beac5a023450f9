#include "lab/bench/verify.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "lab/bench/measure.hpp"
#include "lab/bench/vectors.hpp"

namespace nz::lab {

template <Value T, Offset O>
Judge<T, O>::Judge(const CsrView<T, O>& a, std::size_t most_bytes) : a_(a), room_(most_bytes) {}

template <Value T, Offset O>
Verdict Judge<T, O>::verify(const Product<T>& product, const Case& c, int shared_rounding) {
  auto in = static_cast<std::size_t>(a_.cols), out = static_cast<std::size_t>(a_.rows);
  if (c.op == Op::transpose) std::swap(in, out);
  Array<T> x(in), before(out);
  fill_random<T>({x.data(), in}, 2);
  if (c.beta == 0)
    std::fill(before.begin(), before.end(), std::numeric_limits<T>::quiet_NaN());
  else
    fill_random<T>({before.data(), out}, 3);
  Array<T> y = before;
  const std::span<const T> xs(x.data(), in);
  const T alpha = static_cast<T>(c.alpha), beta = static_cast<T>(c.beta);
  product.multiply(c.op, alpha, xs, beta, {y.data(), out});

  std::list<std::pair<Case, Reference<T>>> made;
  auto it = std::find_if(kept_.begin(), kept_.end(), [&](const auto& k) { return k.first == c; });
  if (it == kept_.end()) {
    made.emplace_back(c, exact_product<T, O>(a_, c.op, alpha, xs, beta, {before.data(), out}));
    it = made.begin();
    if (it->second.bytes() <= room_) {
      room_ -= it->second.bytes();
      kept_.splice(kept_.end(), made, it);
    }
  }
  const Reference<T>& exact = it->second;
  const std::span<const T> computed(y.data(), out);
  if (shared_rounding > 0 && c.op == Op::none)
    return widened(exact, a_, alpha, xs, shared_rounding).judge(computed);
  return exact.judge(computed);
}

std::string_view name(Conformance::Outcome o) {
  switch (o) {
    case Conformance::Outcome::right:
      return "right";
    case Conformance::Outcome::wrong:
      return "wrong";
    case Conformance::Outcome::refused:
      return "refused";
    case Conformance::Outcome::unsupported:
      return "unsupported";
    case Conformance::Outcome::no_resource:
      return "no resource";
  }
  return "?";
}

std::span<const std::pair<double, double>> checked_scalars() {
  static constexpr std::array<std::pair<double, double>, 9> all{
      {{1, 0}, {1, 1}, {1, -0.5}, {-0.5, 0}, {-0.5, 1}, {-0.5, -0.5}, {0, 0}, {0, 1}, {0, -0.5}}};
  return all;
}

template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, Judge<T, O>& judge, Device device) {
  return conformance<T, O>(
      kernel, judge.matrix(), {}, device, [&](const Product<T>& product, const Case& c) {
        const Verdict v = judge.verify(product, c, kernel.shared_rounding);
        return Finding{v.right(), v.right() ? "" : v.message(), v.worst, v.unjudged};
      });
}

template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, const CsrView<T, O>& a,
                                     const Parameters& parameters, Device device,
                                     const Look<T>& look) {
  using Outcome = Conformance::Outcome;
  std::vector<Conformance> all;
  for (const Op op : all_ops)
    all.push_back({.kernel = &kernel, .type = value_type_of<T>, .op = op});
  const auto end_all = [&](Outcome outcome, const char* reason) {
    for (Conformance& c : all) c.outcome = outcome, c.reason = reason;
    return all;
  };
  if (!kernel.prepare_for<T, O>(device.kind)) return end_all(Outcome::unsupported, "");
  Prepared<T> ready;
  try {
    ready = lab::prepare(kernel, a, parameters, device);
  } catch (const Refused& e) {
    return end_all(Outcome::refused, e.what());
  } catch (const NoResource& e) {
    return end_all(Outcome::no_resource, e.what());
  }
  for (Conformance& c : all) {
    c.facts = ready.product->facts();
    if (!kernel.supports(c.op)) {
      c.outcome = Outcome::unsupported;
      continue;
    }
    for (const auto& [alpha, beta] : checked_scalars()) {
      const Case one{c.op, alpha, beta};
      ++c.products;
      Finding v;
      try {
        v = look(*ready.product, one);
      } catch (const DeviceFault& e) {  // a broken rule is a wrong product
        c.outcome = Outcome::wrong;
        c.reason = e.what();
        c.first_wrong = one;
        break;
      } catch (const Refused& e) {  // another library that turns out not to have the operation
        c.outcome = Outcome::refused;
        c.reason = e.what();
        break;
      }
      c.worst = std::max(c.worst, v.worst);
      c.unjudged = std::max(c.unjudged, v.unjudged);
      if (!v.right && c.outcome == Outcome::right) {
        c.outcome = Outcome::wrong;
        c.reason = v.message;
        c.first_wrong = one;
      }
    }
  }
  return all;
}

#define NZ_INSTANTIATE(T, O)                                                          \
  template class Judge<T, O>;                                                         \
  template std::vector<Conformance> conformance(const Kernel&, Judge<T, O>&, Device); \
  template std::vector<Conformance> conformance(const Kernel&, const CsrView<T, O>&,  \
                                                const Parameters&, Device, const Look<T>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
