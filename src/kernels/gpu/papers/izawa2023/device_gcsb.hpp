#pragma once
#include <cstddef>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/formats/gcsb.hpp>

#include "kernels/gpu/papers/izawa2023/block_entries.hpp"
#include "kernels/gpu/papers/izawa2023/gcsb_convert.hpp"

namespace nz::NZ_HOME {

// A matrix as GCSB in the current device's memory: made by the host, or by the device where CSR
// lies there already.
template <Value T, Offset O>
GcsbArrays<T, O> gcsb_for(const CsrView<T, O>& a, const Parameters& p) {
  const Device device = current_device();
  const std::int64_t beta = beta_of(p);
  const auto group_size = static_cast<index_t>(p.at("group_size"));
  const auto max_ratio = static_cast<double>(p.at("max_ratio"));
  if (lies_on(device, a)) return gcsb_on_device(a, beta, group_size, max_ratio);
  const Gcsb<T, O> b = gcsb_from_csr(a, beta, group_size, max_ratio);
  GcsbArrays<T, O> there{b.view(),
                         {device, std::span<const O>(b.offsets)},
                         {device, std::span<const index_t>(b.numbers)},
                         {device, std::span<const std::uint32_t>(b.places)},
                         {device, std::span<const T>(b.values)}};
  there.connect();
  return there;
}

}  // namespace nz::NZ_HOME
