#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

// What rows near each other have in common, whatever their numbers are, in the mean of patches that
// grow from a few rows of a square matrix over the columns that they touch.
struct PatchSamples {
  double rows = 0;     // of a patch
  double columns = 0;  // different ones, an entry
};

// Of a matrix in host memory or in the device's.
template <Value T, Offset O>
PatchSamples sample_patches(const CsrView<T, O>& a, Device device);

}  // namespace nz
