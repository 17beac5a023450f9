#include <nonzero/registry.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/glob.hpp"
#include "base/isa.hpp"
#include "base/nearest.hpp"
#include "plan/kernel_list.hpp"
#include "plan/kernel_set.hpp"

namespace nz {

#define NZ_DECLARE(entry) Kernel entry();
#define NZ_DECLARE_VECTOR(entry)                                                 \
  namespace portable {                                                           \
  Kernel entry();                                                                \
  }                                                                              \
  NZ_X86(                                                                        \
      namespace avx2 { Kernel entry(); } namespace avx512 {                      \
        Kernel entry();                                                          \
      } namespace avx512_loads { Kernel entry(); })                              \
  NZ_ARM(namespace neon { Kernel entry(); })                                     \
  NZ_SVE(                                                                        \
      namespace sve256 { Kernel entry(); } namespace sve512 { Kernel entry(); }) \
  static Kernel entry() {                                                        \
    [[maybe_unused]] const Isa chosen = isa();                                   \
    NZ_X86(if (chosen == Isa::avx512) return avx512::entry();                    \
           if (chosen == Isa::avx512_loads) return avx512_loads::entry();        \
           if (chosen == Isa::avx2) return avx2::entry();)                       \
    NZ_SVE(if (chosen == Isa::sve512) return sve512::entry();                    \
           if (chosen == Isa::sve256) return sve256::entry();)                   \
    NZ_ARM(if (chosen == Isa::neon) return neon::entry();)                       \
    return portable::entry();                                                    \
  }
#ifdef NZ_HAVE_CUDA
#define NZ_CUDA(...) __VA_ARGS__
#else
#define NZ_CUDA(...)
#endif
#ifdef NZ_HAVE_EMULATOR
#define NZ_EMULATED(...) __VA_ARGS__
#else
#define NZ_EMULATED(...)
#endif
// One source, two homes: what both say of themselves is the same but for `prepare`.
#define NZ_DECLARE_GPU(entry)                                                     \
  NZ_CUDA(namespace cuda { Kernel entry(); })                                     \
  NZ_EMULATED(namespace emulated { Kernel entry(); })                             \
  [[maybe_unused]] static Kernel entry() {                                        \
    Kernel k;                                                                     \
    NZ_EMULATED(k = emulated::entry(); k.emulated = k.prepare; k.prepare = {};)   \
    NZ_CUDA(Kernel c = cuda::entry(); c.emulated = k.emulated; k = std::move(c);) \
    return k;                                                                     \
  }
NZ_KERNELS(NZ_DECLARE, NZ_DECLARE_VECTOR, NZ_DECLARE_GPU)
#undef NZ_DECLARE
#undef NZ_DECLARE_VECTOR
#undef NZ_DECLARE_GPU

namespace {

// The one table of ids that kernels had in the version before; each is dropped with the next.
struct Renamed {
  std::string_view was, is;
};
constexpr Renamed renamed[] = {{"gpu/compact/slabs", "gpu/slabs/balanced"}};

// Whether this is the kernel's id, without writing that down: plans ask for many.
bool is_called(const Kernel& k, std::string_view id) {
  const std::size_t d = k.family.size(), f = d + 1 + k.format.size();
  return id.size() == f + 1 + k.strategy.size() && id.starts_with(k.family) && id[d] == '/' &&
         id.substr(d + 1).starts_with(k.format) && id[f] == '/' && id.ends_with(k.strategy);
}

// The lines of the list, without those of GPUs where nothing could run them.
#if defined(NZ_HAVE_CUDA) || defined(NZ_HAVE_EMULATOR)
#define NZ_LINES(each) NZ_KERNELS(each, each, each)
#else
#define NZ_SKIP(entry)
#define NZ_LINES(each) NZ_KERNELS(each, each, NZ_SKIP)
#endif

KernelSet& registry() {
  static KernelSet all({
#define NZ_CALL(entry) entry(),
      NZ_LINES(NZ_CALL)
#undef NZ_CALL
  });
  return all;
}

}  // namespace

void KernelSet::add(std::vector<Kernel> more) {
  const auto same = [](const Kernel& a, const Kernel& b) {
    return a.runs_on == b.runs_on && a.id() == b.id();
  };
  for (auto k = more.begin(); k != more.end(); ++k) {
    const auto is_k = [&](const Kernel& known) { return same(known, *k); };
    if (std::any_of(all_.begin(), all_.end(), is_k) || std::any_of(more.begin(), k, is_k))
      throw InvalidArgument(fmt::format("there is a kernel '{}' already", k->id()));
  }
  std::move(more.begin(), more.end(), std::back_inserter(all_));
}

std::string_view current_id(std::string_view id) {
  for (const Renamed& r : renamed)
    if (id == r.was) return r.is;
  return id;
}

bool id_matches(std::string_view id, std::string_view pattern) {
  const auto was_called_so = [&](const Renamed& r) {
    return id == r.is && matches(r.was, pattern);
  };
  return matches(id, pattern) || std::any_of(std::begin(renamed), std::end(renamed), was_called_so);
}

const Kernel& KernelSet::find(std::string_view id) const {
  const std::string_view now = current_id(id);
  for (const Kernel& k : all_)
    if (is_called(k, now)) return k;
  std::vector<std::string> ids;
  for (const Kernel& k : all_) ids.push_back(k.id());
  throw InvalidArgument(fmt::format("no kernel '{}'; nearest: {}", id, nearest(id, ids)));
}

std::vector<const Kernel*> KernelSet::match(std::string_view pattern) const {
  std::vector<const Kernel*> found;
  const bool exact = pattern.find_first_of("*?") == pattern.npos;
  const std::string_view now = current_id(pattern);
  for (const Kernel& k : all_)
    if (exact ? is_called(k, now) : id_matches(k.id(), pattern)) found.push_back(&k);
  return found;
}

const std::deque<Kernel>& kernels() { return registry().all(); }
void add_kernels(std::vector<Kernel> more) { registry().add(std::move(more)); }
const Kernel& find_kernel(std::string_view id) { return registry().find(id); }
std::vector<const Kernel*> match_kernels(std::string_view pattern) {
  return registry().match(pattern);
}

}  // namespace nz
