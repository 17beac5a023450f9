#include "plan/patch_samples.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/instantiate.hpp"
#include "device/csr.hpp"
#include "device/patches.hpp"

namespace nz {
namespace {

constexpr int count = 32;

// What device/patches.cpp grows on a device.
template <Offset O>
Patch grow_patch(index_t seed, const O* offsets, const index_t* columns) {
  Patch grown;
  std::vector<index_t> known{seed}, to_open{seed}, fresh, all;
  while (!to_open.empty() && std::ssize(to_open) <= PatchLimits::opened &&
         grown.rows < PatchLimits::enough_rows) {
    std::int64_t entries = 0;
    for (const index_t row : to_open) entries += offsets[row + 1] - offsets[row];
    if (std::ssize(known) + entries > PatchLimits::columns) break;
    fresh.clear();
    for (const index_t row : to_open)
      fresh.insert(fresh.end(), columns + offsets[row], columns + offsets[row + 1]);
    std::sort(fresh.begin(), fresh.end());
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    grown.rows += std::ssize(to_open);
    grown.entries += entries;
    to_open.clear();
    std::set_difference(fresh.begin(), fresh.end(), known.begin(), known.end(),
                        std::back_inserter(to_open));
    all.clear();
    std::set_union(known.begin(), known.end(), fresh.begin(), fresh.end(), std::back_inserter(all));
    known.swap(all);
    grown.columns = std::ssize(known);
  }
  return grown;
}

template <Value T, Offset O>
std::vector<Patch> patches_of(const CsrView<T, O>& a, Device device) {
  if (lies_on(device, a)) {
    const simt::DeviceScope scope(device);
#ifdef NZ_HAVE_EMULATOR
    if (device.kind == Device::Kind::emulator)
      return emulated::grow_patches(a.rows, a.offsets, a.columns, count);
#endif
#ifdef NZ_HAVE_CUDA
    if (device.kind == Device::Kind::cuda)
      return cuda::grow_patches(a.rows, a.offsets, a.columns, count);
#endif
  }
  std::vector<Patch> patches;
  for (int p = 0; p < count; ++p)
    patches.push_back(grow_patch(patch_seed(a.rows, p, count), a.offsets, a.columns));
  return patches;
}

}  // namespace

template <Value T, Offset O>
PatchSamples sample_patches(const CsrView<T, O>& a, Device device) {
  PatchSamples s;
  if (a.rows == 0 || a.rows != a.cols) return s;
  int with_entries = 0;
  for (const Patch& p : patches_of(a, device)) {
    if (p.entries == 0) continue;
    ++with_entries;
    s.rows += static_cast<double>(p.rows);
    s.columns += static_cast<double>(p.columns) / static_cast<double>(p.entries);
  }
  if (with_entries == 0) return {};
  s.rows /= with_entries;
  s.columns /= with_entries;
  return s;
}

#define NZ_INSTANTIATE(T, O) template PatchSamples sample_patches(const CsrView<T, O>&, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
