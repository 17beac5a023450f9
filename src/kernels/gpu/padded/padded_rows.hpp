#pragma once
#include "kernels/gpu/gpu_product.hpp"

// The loops of a thread that has a row of ELL, or of a slice of SELL, to itself.
namespace nz::NZ_HOME {

// A row's slots, `stride` apart: its entries, then padding. Neighbouring threads read neighbours.
template <class T>
struct RowSlots {
  const index_t* columns;
  const T* values;
  std::int64_t stride;
  index_t width;
};

// body(column, value) for a few slots at a time, all loaded before the first is needed; the column
// of padding is -1. Stops where padding has begun: nothing but padding follows.
template <class T, class Body>
NZ_DEVICE void for_each_slot(Thread& t, const RowSlots<T>& row, Body&& body) {
  constexpr int ahead = 4;
  index_t s = 0;
  std::int64_t at = 0;
  NZ_ROLLED
  for (; row.width - s >= ahead; s += ahead) {
    index_t column[ahead];
    T value[ahead];
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) column[j] = t.load_streaming(row.columns + at + j * row.stride);
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) value[j] = t.load_streaming(row.values + at + j * row.stride);
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) body(column[j], value[j]);
    if (column[ahead - 1] < 0) return;
    at += ahead * row.stride;
  }
  NZ_ROLLED
  for (; s < row.width; ++s, at += row.stride)
    body(t.load_streaming(row.columns + at), t.load_streaming(row.values + at));
}

// The row times x. Padding reads some element of x and drops it.
template <class T>
NZ_DEVICE T sum_of_slots(Thread& t, const RowSlots<T>& row, const T* x) {
  T sum = 0;
  for_each_slot(t, row, [&](index_t column, T value) {
    const T product = value * t.load(x + (column < 0 ? 0 : column));
    sum += column < 0 ? T(0) : product;
  });
  return sum;
}

// The other way: each entry times the row's element of x is added to y, scaled already.
template <class T>
NZ_DEVICE void scatter_slots(Thread& t, const RowSlots<T>& row, T alpha, T its, T* y) {
  for_each_slot(t, row, [&](index_t column, T value) {
    if (column >= 0) t.atomic_add(y + column, alpha * (value * its));
  });
}

}  // namespace nz::NZ_HOME
