#include "base/isa.hpp"

#include <cstdlib>
#include <string>

#include <nonzero/error.hpp>

#include "base/gather_probe.hpp"

namespace nz {
namespace {

constexpr Isa best_first[] = {Isa::avx512, Isa::avx512_loads, Isa::avx2, Isa::portable};

bool available(Isa isa) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx2) return avx2;
  if (isa == Isa::avx512 || isa == Isa::avx512_loads)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#endif
  return isa == Isa::portable;
}

Isa choose() {
  const char* asked = std::getenv("NONZERO_ISA");
  if (!asked) {
    for (const Isa isa : best_first)
      if (available(isa) && (isa != Isa::avx512 || gathers_pay())) return isa;
    return Isa::portable;
  }
  for (const Isa isa : best_first) {
    if (name(isa) != asked) continue;
    if (available(isa)) return isa;
    throw InvalidArgument("NONZERO_ISA=" + std::string(asked) + ": this processor lacks it");
  }
  throw InvalidArgument("NONZERO_ISA=" + std::string(asked) +
                        ": not portable, avx2, avx512-loads or avx512");
}

}  // namespace

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx512_loads:
      return "avx512-loads";
    case Isa::avx2:
      return "avx2";
    default:
      return "portable";
  }
}

Isa isa() {
  static const Isa chosen = choose();
  return chosen;
}

}  // namespace nz
