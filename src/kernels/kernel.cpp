#include <nonzero/kernel.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

constexpr const char* deterministic = "deterministic";

}  // namespace

Parameter deterministic_parameter(std::string_view summary) {
  return {deterministic, summary, 0, 0, 1};
}

bool Kernel::repeats(Op op, const Parameters& p) const {
  if (determinism != Determinism::on_demand) return repeats(op);
  const auto asked = p.find(deterministic);
  return asked != p.end() && asked->second == 1;
}

void Kernel::make_deterministic(Parameters& p) const {
  if (determinism == Determinism::on_demand) p.emplace(deterministic, 1);
}

bool Kernel::runs_on_device(Device::Kind kind) const {
  if (kind == Device::Kind::emulator) return emulated != PrepareTable{};
  return kind == runs_on && prepare != PrepareTable{};
}

template <Value T>
void Product<T>::multiply_on(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                             std::span<T> y) const {
  if (!stream.any_device())
    throw InvalidArgument(
        fmt::format("a stream of {} for a product on the CPU", stream.device.name()));
  multiply(op, alpha, x, beta, y);
}
template class Product<float>;
template class Product<double>;

Parameters Kernel::resolve(const Parameters& wanted) const {
  Parameters all;
  for (const Parameter& p : parameters) all.emplace(p.name, p.initial);
  for (const auto& [name, value] : wanted) {
    const auto known =
        std::find_if(parameters.begin(), parameters.end(),
                     [&sought = name](const Parameter& p) { return p.name == sought; });
    if (known == parameters.end())
      throw InvalidArgument(fmt::format("{} has no parameter '{}'", id(), name));
    if (value < known->min || value > known->max)
      throw InvalidArgument(fmt::format("{}: {} = {} is outside {} to {}", id(), name, value,
                                        known->min, known->max));
    all[name] = value;
  }
  return all;
}

Parameters Kernel::resolve(const Parameters& wanted, const Pattern& a) const {
  Parameters all = resolve(wanted);
  if (!fit || wanted.size() == all.size()) return all;
  const Parameters fitted = fit(a);
  const auto given = [&](const auto& p) { return wanted.contains(p.first); };
  if (std::any_of(fitted.begin(), fitted.end(), given)) return all;
  Parameters both = wanted;
  both.insert(fitted.begin(), fitted.end());
  return resolve(both);
}

}  // namespace nz
