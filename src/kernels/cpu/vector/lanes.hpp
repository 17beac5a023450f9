#pragma once
// Vectors of `width` numbers and of as many column indices, one implementation for each
// instruction set. The loops of the kernels are written once over these, and ask can_gather where
// going element by element is another loop. Only avx512 and sve have the processor's gather: on
// many processors loads are faster (base/gather_probe.hpp), and with AVX2 alone it never gains
// much. NEON has none.
//
//   load, store                  unaligned
//   load_as(const float*)        widened where T is double
//   gather(x, i)                 x[i[lane]]
//   indices(const Index*)        8-, 16- or 32-bit, widened to 32 or more
//   table, pick(table, codes)    table[code] from registers that hold table_room numbers, if any
//   slot(...)                    all vectors of 64 bytes of numbers at once, where that is less
//                                work than one by one (value_readers.hpp)
//   fma(a, b, c)                 a b + c
//   mask(bits, step)             the lanes of the vector `step` among those of 64 bytes whose bits
//                                are set
//   *_some(mask, ...)            only the lanes of the mask: the others touch no memory, give 0;
//                                as fast as without a mask if can_mask, once there is a mask if
//                                can_cut. gather_some may read x[0]
//   some(mask, v)                0 in the other lanes; as fast as anything if can_blend
//   fma_some(mask, a, b, c)      c in the other lanes, where b must be finite unless can_cut
//   gather_taken(x, columns)     x[columns[lane]], 0 where that is negative; without it gather_some
//   order(lanes), permute(o, v)  lane l gets the number of lane lanes[l]; where there is one, also
//   permute_mask(o, m)           of masks, and
//   permute_columns(o, i, a, p)  a times the index of that lane, plus that of p
//   unroll_short                 the loop over a short row entry by entry is worth unrolling
//   lowest                       lane 0
//   shift_down                   every lane takes the next one's number; if can_mask
//   next(a, b)                   the same of a, whose last lane takes the lowest of b; without it
//                                sums are not moved along (packed_scatter.hpp)
#if defined(NZ_ISA_AVX512) || defined(NZ_ISA_AVX512_LOADS)
#include "kernels/cpu/vector/lanes_avx512.hpp"
#elif defined(NZ_ISA_SVE256) || defined(NZ_ISA_SVE512)
#include "kernels/cpu/vector/lanes_sve.hpp"
#elif defined(NZ_ISA_NEON)
#include "kernels/cpu/vector/lanes_neon.hpp"
#else
#include "kernels/cpu/vector/lanes_portable.hpp"
#endif
