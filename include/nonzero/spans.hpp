#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <nonzero/dense.hpp>
#include <nonzero/error.hpp>
#include <nonzero/export.hpp>

namespace NZ_API nz {

namespace detail {
template <class V>
concept HasSpan = requires(V& v) {
  v.span();
};
template <class V>
concept HasHandle = requires(V& v) {
  v.data_handle();
  v.extent(0);
};
template <class V>
concept HasElements = HasSpan<V> || HasHandle<V>;
template <class V>
concept HasStrides = HasHandle<V> && requires(V& v) {
  { v.stride(0) } -> std::convertible_to<std::int64_t>;
};
}  // namespace detail

// The elements of a vector of some other kind as multiply() takes them, without a copy: of what has
// span() (DeviceArray), and of one-dimensional views like std::mdspan, with data_handle() and
// extent(). What std::span takes itself (std::vector, std::array, Array) needs no span_of().
// Throws InvalidArgument where elements do not lie one behind the other.
template <detail::HasElements V>
auto span_of(V&& v) {
  if constexpr (detail::HasSpan<V>) {
    return v.span();
  } else {
    static_assert(std::is_pointer_v<decltype(v.data_handle())>, "its handle is no pointer");
    static_assert(std::remove_cvref_t<V>::rank() == 1, "a vector has one dimension");
    if constexpr (requires { v.stride(0); })
      if (v.extent(0) > 1 && v.stride(0) != 1)
        throw InvalidArgument("a view whose elements do not lie one behind the other");
    return std::span(v.data_handle(), static_cast<std::size_t>(v.extent(0)));
  }
}

// Several vectors, the columns of a view like a two-dimensional std::mdspan, with data_handle(),
// extent() and stride(), as multiply() takes them, without a copy: layout_right, layout_left, and
// layout_stride where elements of a row, or those of a column, lie one behind the other.
// Throws InvalidArgument where neither do, or where index_t cannot count them.
template <detail::HasStrides V>
auto dense_view_of(V&& v) {
  static_assert(std::is_pointer_v<decltype(v.data_handle())>, "its handle is no pointer");
  static_assert(std::remove_cvref_t<V>::rank() == 2, "several vectors have two dimensions");
  using T = std::remove_pointer_t<decltype(v.data_handle())>;
  const auto rows = static_cast<std::int64_t>(v.extent(0)),
             columns = static_cast<std::int64_t>(v.extent(1)),
             down = static_cast<std::int64_t>(v.stride(0)),
             right = static_cast<std::int64_t>(v.stride(1));
  constexpr std::int64_t most = std::numeric_limits<index_t>::max();
  if (rows < 0 || columns < 0 || rows > most || columns > most)
    throw InvalidArgument("a view with more rows or columns than index_t counts");
  const auto n = static_cast<index_t>(rows), m = static_cast<index_t>(columns);
  // One row, or one column, lies either way.
  if (right == 1 || columns <= 1)
    if (down >= columns || rows <= 1)
      return DenseView<T>(v.data_handle(), n, m, Layout::row_major, rows <= 1 ? columns : down);
  if ((down == 1 || rows <= 1) && (right >= rows || columns <= 1))
    return DenseView<T>(v.data_handle(), n, m, Layout::column_major, columns <= 1 ? rows : right);
  throw InvalidArgument(
      "a view whose elements lie one behind the other neither in rows nor in "
      "columns");
}

}  // namespace nz
