#include "soak/case.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/registry.hpp>

namespace nz::trials {
namespace {

// A number that a product is scaled by. Extreme ones are still numbers of the type.
double scalar(Draw& draw, ValueType type, bool may_be_extreme) {
  constexpr double usual[] = {1, 0, -0.5, 1, 2.75};
  const auto kind = draw.below(may_be_extreme ? 16 : 12);
  if (kind < 11) return draw.pick(usual);
  if (kind == 11) return 4 * draw.unit() - 2;
  if (kind < 15) {
    const bool single = type == ValueType::f32;
    const double v =
        std::ldexp(1 + draw.unit(), single ? draw.between(-140, 126) : draw.between(-1070, 1022));
    return draw.one_in(2) ? -v : v;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double odd[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  return draw.pick(odd);
}

Scale scale(Draw& draw, bool may_be_extreme) {
  const auto kind = draw.below(10);
  if (kind < 8) return Scale::ordinary;
  return kind == 8 && may_be_extreme ? Scale::extreme : Scale::non_finite;
}

// A kernel for the device and types, with parameters that its entry allows.
void draw_kernel(Draw& draw, Case& c, Device::Kind kind) {
  std::vector<const Kernel*> fit;
  for (const Kernel& k : kernels()) {
    if (!k.runs_on_device(kind) || k.family == "peer") continue;
    const bool takes =
        c.type == ValueType::f32
            ? (c.wide_offsets ? k.prepare_for<float, std::int64_t>(kind) != nullptr
                              : k.prepare_for<float, std::int32_t>(kind) != nullptr)
            : (c.wide_offsets ? k.prepare_for<double, std::int64_t>(kind) != nullptr
                              : k.prepare_for<double, std::int32_t>(kind) != nullptr);
    if (takes) fit.push_back(&k);
  }
  if (fit.empty()) return;
  const Kernel& k = *fit[draw.below(fit.size())];
  c.options.kernel = k.id();
  const auto how = draw.below(3);
  for (const Parameter& p : k.parameters) {
    // Without it most formats refuse most of these matrices.
    if (p.name == "max_ratio") c.options.parameters.emplace(p.name, p.max);
    if (how == 0 || c.options.parameters.contains(p.name)) continue;
    const auto high = std::max(p.min, std::min(p.max, 3 * p.initial + 5));
    c.options.parameters.emplace(p.name, how == 1 ? p.min : draw.between(p.min, high));
  }
}

void draw_options(Draw& draw, Case& c, const Limits& limits) {
  PlanOptions& o = c.options;
  const Device device = device_named(limits.devices[draw.below(limits.devices.size())]);
  o.device = device;
  constexpr Use uses[] = {Use(Op::none), Use(Op::transpose), both_ops};
  o.op = draw.pick(uses);
  constexpr int some_threads[] = {1, 2, 3, 4, 7};
  o.threads = draw.pick(some_threads);
  o.cache.use = false;
  if (draw.below(5) < 3) {
    draw_kernel(draw, c, device.kind);
  } else {
    o.effort = draw.one_in(3) ? Effort::instant : Effort::balanced;
    if (limits.thorough && draw.one_in(6)) {
      o.effort = Effort::thorough;
      o.cache.directory = limits.tuning_folder;
      o.cache.use = !limits.tuning_folder.empty() && draw.one_in(2);
    }
    if (draw.one_in(6)) o.memory_limit = 1 + draw.size_up_to(1 << 22);
  }
  o.deterministic = draw.one_in(4);
  o.store_transpose = draw.one_in(4);
}

// As it is where it is not extreme.
double tame(double v) {
  const double size = std::abs(v);
  return v == 0 || !std::isfinite(v) || (size > 1e-3 && size < 1e3) ? v : 1.5;
}

Multiply draw_multiply(Draw& draw, const Case& c, const Limits& limits) {
  Multiply m;
  m.op = draw.one_in(3) ? Op::transpose : Op::none;
  m.alpha = scalar(draw, c.type, limits.extreme);
  m.beta = scalar(draw, c.type, limits.extreme);
  m.x = scale(draw, limits.extreme);
  m.y = scale(draw, limits.extreme);
  // Infinities beside terms that overflow may cancel in one order and not in another.
  const bool infinite =
      c.values == Scale::non_finite || m.x == Scale::non_finite || m.y == Scale::non_finite;
  if (infinite) {
    if (m.x == Scale::extreme) m.x = Scale::ordinary;
    if (m.y == Scale::extreme) m.y = Scale::ordinary;
    m.alpha = tame(m.alpha);
    m.beta = tame(m.beta);
  }
  if (c.values == Scale::extreme && m.x == Scale::non_finite) m.x = Scale::ordinary;
  m.device_spans = c.options.device != cpu_device && draw.one_in(2);
  m.seed = draw.endless().bits();
  return m;
}

std::string_view name(Scale s) {
  constexpr std::string_view names[] = {"ordinary", "extreme", "non-finite"};
  return names[static_cast<int>(s)];
}
std::string_view name(Arrays a) {
  constexpr std::string_view names[] = {"borrowed", "moved in", "on the device"};
  return names[static_cast<int>(a)];
}
std::string_view name(Update u) {
  constexpr std::string_view names[] = {"none", "values", "in place", "owned", "structure"};
  return names[static_cast<int>(u)];
}

}  // namespace

Case draw_case(Draw& draw, const Limits& limits) {
  Case c;
  c.type = draw.one_in(2) ? ValueType::f32 : ValueType::f64;
  c.wide_offsets = draw.one_in(3);
  draw_options(draw, c, limits);
  c.values = scale(draw, limits.extreme);
  const bool emulated = c.options.device == emulator_device;
  c.drawn = draw_matrix(draw, emulated ? limits.emulated_rows : limits.rows,
                        emulated ? limits.emulated_nonzeros : limits.nonzeros);
  constexpr Arrays on_host[] = {Arrays::borrowed, Arrays::moved};
  c.arrays = draw.pick(on_host);
  if (c.options.device != cpu_device && draw.one_in(3)) c.arrays = Arrays::on_device;
  c.disordered = limits.disordered && c.values == Scale::ordinary && draw.one_in(6);
  constexpr Update updates[] = {Update::none,  Update::none,     Update::none,     Update::values,
                                Update::owned, Update::in_place, Update::structure};
  c.update = draw.pick(updates);
  for (auto n = draw.between(1, 3); n > 0; --n)
    c.multiplies.push_back(draw_multiply(draw, c, limits));
  if (limits.sharing && draw.one_in(6)) c.sharing = draw.between(2, 3);
  c.seed = draw.endless().bits();
  return c;
}

std::string Case::text() const {
  const Matrix& a = drawn.matrix;
  std::string s =
      fmt::format("{} ({} x {}, {} nonzeros), {}, {}-bit offsets, {}", drawn.name, a.rows, a.cols,
                  a.nnz(), nz::name(type), wide_offsets ? 64 : 32, name(arrays));
  if (disordered) s += ", disordered";
  if (values != Scale::ordinary) s += fmt::format(", {} values", name(values));
  s += fmt::format("; plan on {} for {}{}, {} threads", options.device->name(),
                   options.op.n ? "N" : "", options.op.t ? "T" : "", *options.threads);
  s += options.kernel.empty() ? fmt::format(", effort {}", nz::name(options.effort))
                              : ", kernel " + options.kernel;
  for (const auto& [parameter, value] : options.parameters)
    s += fmt::format(" {}={}", parameter, value);
  if (options.memory_limit > 0) s += fmt::format(", at most {} bytes", options.memory_limit);
  if (options.deterministic) s += ", deterministic";
  if (options.store_transpose) s += ", transpose stored";
  if (options.cache.use) s += ", tuning cache";
  for (const Multiply& m : multiplies)
    s += fmt::format("; {} alpha {} beta {} x {} y {}{}", nz::name(m.op), m.alpha, m.beta,
                     name(m.x), name(m.y), m.device_spans ? " device spans" : "");
  if (update != Update::none) s += fmt::format("; update: {}", name(update));
  if (sharing > 1) s += fmt::format("; shared by {} threads", sharing);
  return s;
}

}  // namespace nz::trials
