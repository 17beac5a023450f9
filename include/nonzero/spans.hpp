#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

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

}  // namespace nz
