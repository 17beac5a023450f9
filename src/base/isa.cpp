#include "base/isa.hpp"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include <cstdlib>
#include <string>

#include <nonzero/error.hpp>

#include "base/gather_probe.hpp"

namespace nz {
namespace {

constexpr Isa best_first[] = {Isa::avx512, Isa::avx512_loads, Isa::avx2,    Isa::sve512,
                              Isa::sve256, Isa::neon,         Isa::portable};

// The length of SVE's vectors for this process, in bits; 0 without SVE.
[[maybe_unused]] int sve_bits() {
#if defined(NZ_HAVE_SVE) && defined(PR_SVE_GET_VL)
  if (!(::getauxval(AT_HWCAP) & HWCAP_SVE)) return 0;
  const int length = ::prctl(PR_SVE_GET_VL);
  return length < 0 ? 0 : (length & PR_SVE_VL_LEN_MASK) * 8;
#else
  return 0;
#endif
}

bool available(Isa isa) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx2) return avx2;
  if (isa == Isa::avx512 || isa == Isa::avx512_loads)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#endif
#if defined(__aarch64__)
  if (isa == Isa::neon) return true;
  if (isa == Isa::sve256) return sve_bits() == 256;
  if (isa == Isa::sve512) return sve_bits() == 512;
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
  bool known = false;
  for (const Isa isa : best_first) {
    if (name(isa) != asked) continue;
    if (available(isa)) return isa;
    known = true;
  }
  throw InvalidArgument("NONZERO_ISA=" + std::string(asked) +
                        (known ? ": this processor lacks it"
                               : ": not portable, avx2, avx512-loads, avx512, neon or sve"));
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
    case Isa::neon:
      return "neon";
    case Isa::sve256:
    case Isa::sve512:
      return "sve";
    default:
      return "portable";
  }
}

Isa isa() {
  static const Isa chosen = choose();
  return chosen;
}

}  // namespace nz
