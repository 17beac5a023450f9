#include "base/isa.hpp"

#include <cstdlib>
#include <string>

#include <nonzero/error.hpp>

namespace nz {
namespace {

bool available(Isa isa) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx2) return avx2;
  if (isa == Isa::avx512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#endif
  return isa == Isa::portable;
}

Isa choose() {
  constexpr Isa best_first[] = {Isa::avx512, Isa::avx2, Isa::portable};
  const char* asked = std::getenv("NONZERO_ISA");
  for (const Isa isa : best_first) {
    if (asked && name(isa) != asked) continue;
    if (available(isa)) return isa;
    if (asked)
      throw InvalidArgument("NONZERO_ISA=" + std::string(asked) + ": this processor lacks it");
  }
  throw InvalidArgument("NONZERO_ISA=" + std::string(asked) + ": not portable, avx2 or avx512");
}

}  // namespace

std::string_view name(Isa isa) {
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

Isa isa() {
  static const Isa chosen = choose();
  return chosen;
}

}  // namespace nz
