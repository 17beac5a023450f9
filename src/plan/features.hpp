#pragma once
#include <nonzero/device.hpp>
#include <nonzero/explain.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

// Shape and sizes only: costs nothing.
template <Value T, Offset O>
Features shape_features(const CsrView<T, O>& a);

// Samples of a matrix in host memory or in the device's, as the model of that device needs them.
template <Value T, Offset O>
Features look_at(const CsrView<T, O>& a, Device device, int threads);

}  // namespace nz
