#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "simt/simt.hpp"

// An order of the rows of a square matrix in which rows that touch the same columns stand together,
// whatever their numbers are: meshes in three dimensions, networks of neighbours. One row in `size`
// is a seed; all others join, step by step, the cluster of the first neighbour that has one, so
// clusters are what is nearest to each seed. Rows that no seed reaches within a few steps keep
// their place.
namespace nz::NZ_HOME {

// The old numbers of rows in the new order, on the current device: the same for the same matrix.
// `size` at least 2. Queues on the default stream.
template <Value T, Offset O>
DeviceArray<index_t> rows_by_clusters(const CsrView<T, O>& a, int size);

// The same rows, of each `block_rows` in a row the longest first, so that slices have little
// padding. `order` may be empty: rows as they come.
template <Value T, Offset O>
DeviceArray<index_t> longest_first(const CsrView<T, O>& a, DeviceArray<index_t> order,
                                   int block_rows);

}  // namespace nz::NZ_HOME
