#pragma once
#include "kernels/gpu/bsr/stream.hpp"
#include "kernels/gpu/bsr/stream_launch.hpp"

namespace nz::NZ_HOME {

template <class T, bool transposed, class Shape>
Staging<T, Shape, transposed> staging(const Shape& shape) {
  Staging<T, Shape, transposed> s{shape};
  if constexpr (!Shape::fixed) {
    // Exact for all places of a stage: there are far fewer than 2^16.
    const auto over = [](int divisor) {
      return static_cast<unsigned>(((1u << 31) + static_cast<unsigned>(divisor) - 1) /
                                   static_cast<unsigned>(divisor));
    };
    s.stage_blocks = s.best_stage();
    s.over_inputs = over(s.inputs());
    s.over_pieces = over(s.pieces());
  }
  return s;
}

// f.operator()<kernel>(staging)
template <class T, class F>
void with_stream(int rows, int cols, bool transposed, F&& f) {
  with_shape(rows, cols, [&]<class Shape>(const Shape& shape) {
    if (transposed)
      f.template operator()<BsrStream<T, Shape, true>>(staging<T, true>(shape));
    else
      f.template operator()<BsrStream<T, Shape, false>>(staging<T, false>(shape));
  });
}

template <Value T>
StreamFacts stream_facts(int rows, int cols, bool transposed) {
  StreamFacts facts;
  with_stream<T>(rows, cols, transposed, [&]<class K>(const typename K::S& s) {
    facts = {s.grain(), s.stage(), resident_blocks<K>(32 * stream_warps, K::shared_bytes(s)),
             stream_warps, registers<K>()};
  });
  return facts;
}

template <Value T>
void launch_stream(CUstream_st* stream, int rows, int cols, bool transposed, int warps,
                   const ShareView<T>& shares, const BsrOperands<T>& m) {
  with_stream<T>(rows, cols, transposed, [&]<class K>(const typename K::S& s) {
    launch({.blocks = blocks_for(std::min(warps, shares.count), stream_warps),
            .threads = 32 * stream_warps,
            .shared_bytes = K::shared_bytes(s),
            .stream = stream},
           K{s, shares, m.values, m.other, m.number, static_cast<unsigned>(m.in),
             static_cast<unsigned>(m.out), m.in % s.inputs() == 0, m.alpha, m.x, m.beta, m.y});
  });
}

}  // namespace nz::NZ_HOME
