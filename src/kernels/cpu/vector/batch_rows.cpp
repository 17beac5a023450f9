#include "kernels/cpu/batch_rows.hpp"

#include <algorithm>

#include "base/instantiate.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/vector/dot.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// Values in the order of another product.
template <class T>
struct PlacedValues {
  const T* values;
  const std::int32_t* places;
  NZ_INLINE auto load(std::int64_t p) const {
    return Lanes<T>::gather(values, Lanes<T>::indices(places + p));
  }
  NZ_INLINE auto load_some(typename Lanes<T>::Mask m, std::int64_t p) const {
    return Lanes<T>::gather_some(m, values, Lanes<T>::indices_some(m, places + p));
  }
  NZ_INLINE T at(std::int64_t p) const { return values[places[p]]; }
};

// All by value, so that nothing of it is loaded again after every store to y.
template <class T, class Values>
void tile_rows(Values values, const index_t* columns, const std::int32_t* starts, std::int64_t rows,
               T alpha, const T* x, T beta, T* y) {
  std::int64_t k = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t next = starts[i + 1];
    cpu::store(y[i], alpha, dot<T>(values, k, columns + k, next - k, x), beta);
    k = next;
  }
}

}  // namespace

template <class T>
void batch_rows(const cpu::BatchPass<T>& pass, std::int64_t first, std::int64_t last) {
  const BatchTiles& all = *pass.tiles;
  const bool placed = !all.places.empty();
  for (std::int64_t n = first; n < last; ++n) {
    const BatchTile& t = all.tiles[static_cast<std::size_t>(n)];
    const std::int64_t rows = std::min<std::int64_t>(t.rows, pass.rows - t.y);
    const index_t* const columns = all.columns.data() + t.entry;
    const std::int32_t* const starts = all.starts.data() + t.start;
    const T* const values = pass.values + t.value;
    if (placed)
      tile_rows(PlacedValues<T>{values, all.places.data() + t.entry}, columns, starts, rows,
                pass.alpha, pass.x + t.x, pass.beta, pass.y + t.y);
    else
      tile_rows(PlainValues<T, T>{values}, columns, starts, rows, pass.alpha, pass.x + t.x,
                pass.beta, pass.y + t.y);
  }
}

#define NZ_INSTANTIATE(T) \
  template void batch_rows(const cpu::BatchPass<T>&, std::int64_t, std::int64_t);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE

#include "kernels/cpu/vector/isa_end.hpp"
