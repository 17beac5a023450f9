#pragma once
#include "kernels/columns_of_vectors.hpp"
#include "kernels/gpu/coo/slots.hpp"
#include "kernels/gpu/several/vectors.hpp"
#include "simt/scratch.hpp"

namespace nz::NZ_HOME {

// Y = alpha A X + beta Y for 2 to 4 vectors as for one (slots.cpp): all sums of a lane in
// registers. X and Y lie as they like.
template <class T>
void slots_few(CUstream_st* stream, const Slots<T>& a, bool ahead, const Several<const T>& x,
               const SeveralOutput<T>& out, const simt::Scratch& scratch);

// What it needs, however few they are.
template <class T>
simt::ScratchSize slots_few_scratch(const Slots<T>& a);

}  // namespace nz::NZ_HOME
