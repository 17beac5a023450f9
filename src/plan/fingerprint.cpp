#include "plan/fingerprint.hpp"

#include <array>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/csr.hpp"
#include "device/hash_places.hpp"

namespace nz {
namespace {

// At each place; and what is small enough to be taken as a whole.
constexpr std::int64_t a_place = 1024, whole = 16 * a_place;

HashPlaces places_of(std::int64_t n, int places) {
  if (n <= whole) return {n, 1, n};
  return {n, places, a_place};
}

template <class E>
std::uint64_t hash_here(const E* from, const HashPlaces& p) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < p.taken(); ++i)
    sum += HashPlaces::term(p.at(i), static_cast<std::uint64_t>(from[p.at(i)]));
  return sum;
}

void hash_there(Device device, const HashTask& first, const HashTask& second,
                std::uint64_t* hashes) {
  const simt::DeviceScope scope(device);
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) return emulated::hash_places(first, second, hashes);
#endif
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return cuda::hash_places(first, second, hashes);
#endif
  (void)first, (void)second, (void)hashes;
  throw NoResource("no hashes on " + device.name());
}

}  // namespace

template <Value T, Offset O>
LateFingerprint late_fingerprint(Device device, const CsrView<T, O>& a, int places) {
  LateFingerprint f{{.rows = a.rows, .cols = a.cols, .nnz = a.nnz}};
  const HashPlaces rows = places_of(std::int64_t{a.rows} + 1, places),
                   entries = places_of(a.nnz, places);
  if (device != cpu_device && lies_on(device, a)) {
    f.hashes = {device, 2};
    hash_there(device, {a.offsets, sizeof(O), rows}, {a.columns, sizeof(index_t), entries},
               f.hashes.data());
  } else {
    f.known.offsets = hash_here(a.offsets, rows);
    f.known.columns = hash_here(a.columns, entries);
  }
  return f;
}

Fingerprint known(const LateFingerprint& f) {
  if (f.hashes.size() == 0) return f.known;
  std::array<std::uint64_t, 2> hashes{};
  f.hashes.download(hashes);
  Fingerprint all = f.known;
  all.offsets = hashes[0];
  all.columns = hashes[1];
  return all;
}

template <Value T, Offset O>
Fingerprint fingerprint(Device device, const CsrView<T, O>& a, int places) {
  return known(late_fingerprint(device, a, places));
}

std::string difference(const Fingerprint& before, const Fingerprint& now) {
  if (before.rows != now.rows || before.cols != now.cols)
    return fmt::format("it was {} x {}, now {} x {}", before.rows, before.cols, now.rows, now.cols);
  if (before.nnz != now.nnz) return fmt::format("it had {} nonzeros, now {}", before.nnz, now.nnz);
  if (before.offsets != now.offsets) return "rows have other lengths";
  if (before.columns != now.columns) return "nonzeros are in other columns";
  return {};
}

#define NZ_INSTANTIATE(T, O)                                                    \
  template LateFingerprint late_fingerprint(Device, const CsrView<T, O>&, int); \
  template Fingerprint fingerprint(Device, const CsrView<T, O>&, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
