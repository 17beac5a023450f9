#pragma once
#include <nonzero/device.hpp>
#include <nonzero/explain.hpp>
#include <nonzero/formats/csr.hpp>

#include "plan/look_sample.hpp"

namespace nz {

// Shape and sizes only: costs nothing.
template <Value T, Offset O>
Features shape_features(const CsrView<T, O>& a);

// The same, and whether most rows are empty, where that may be and is known in less than a product.
template <Value T, Offset O>
Features glance_at(const CsrView<T, O>& a, Device device);

// Samples of a matrix in host memory or in the device's, as the model of that device needs them.
// `tiles`: on a GPU also what only tiles want to know, which takes longer. `start`: what it would
// fetch first, where that is there.
template <Value T, Offset O>
Features look_at(const CsrView<T, O>& a, Device device, int threads, bool tiles,
                 const LookStart* start = nullptr);

// Whether a look takes samples of so many nonzeros, unless it is for tiles too.
bool takes_samples(std::int64_t nnz, Device device);

}  // namespace nz
