#pragma once
#include <cstdint>

#include <nonzero/export.hpp>

namespace NZ_API nz {

// What becomes of filled-in zeros when BSR or DIA turns back into CSR. Their zeros cannot be told
// from zeros that were entries of the matrix, so neither choice gives those back alone:
// drop leaves out every stored value that is zero (and with them explicit zeros of the matrix),
// keep makes an entry of every stored value inside the matrix.
enum class Fill { drop, keep };

// Formats that pad or fill refuse a matrix that needs more stored slots a nonzero than this, unless
// the caller sets another limit. Three, because a full ELL slot is about three times as fast as a
// COO entry (Bell and Garland 2009): with more slots than that, padding has eaten the gain.
inline constexpr double default_max_ratio = 3;

// What that limit is compared with; 1 means that nothing is filled.
constexpr double slots_per_nonzero(std::int64_t slots, std::int64_t nnz) {
  return slots == nnz ? 1 : static_cast<double>(slots) / static_cast<double>(nnz);
}

}  // namespace nz
