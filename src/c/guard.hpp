#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <nonzero/nonzero.h>

// The boundary: inside, errors are exceptions; outside, a status and a text of the thread's own.
namespace nz::c {

// Keeps the text of the exception that is being handled for nz_last_error(), and says which status
// it is. Call it from a handler only. It allocates nothing.
nz_status failure() noexcept;

// Keeps that text; returns the status.
nz_status failure(nz_status status, const char* what) noexcept;

const char* last_error() noexcept;

// body() with its exceptions as a status.
template <class Body>
nz_status guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return NZ_OK;
  } catch (...) {
    return failure();
  }
}

// What body() returns, or `otherwise` where it throws.
template <class R, class Body>
R value_or(R otherwise, Body&& body) noexcept {
  try {
    return static_cast<R>(std::forward<Body>(body)());
  } catch (...) {
    failure();
    return otherwise;
  }
}

// Throws InvalidArgument: "plan is NULL".
[[noreturn]] void throw_null(std::string_view what);

// What a pointer of the caller's points to.
template <class P>
P& given(P* pointer, std::string_view what) {
  if (!pointer) throw_null(what);
  return *pointer;
}

// The same for an array of so many elements, which need not be there if it has none.
template <class P>
P* array(P* pointer, std::size_t size, std::string_view what) {
  if (!pointer && size > 0) throw_null(what);
  return pointer;
}

// As much of what say() returns, a std::string, as there is room for, with a 0 at the end. Returns
// how long it is, and -1 where it throws.
template <class Say>
std::int64_t told(char* text, std::size_t room, Say&& say) noexcept {
  if (text && room > 0) text[0] = '\0';
  return value_or(std::int64_t{-1}, [&] {
    const std::string all = std::forward<Say>(say)();
    if (array(text, room, "text") && room > 0) {
      const std::size_t length = std::min(all.size(), room - 1);
      std::memcpy(text, all.data(), length);
      text[length] = '\0';
    }
    return all.size();
  });
}

// Makes a handle: *to is what make() returns, a std::unique_ptr, and NULL where it throws.
template <class Handle, class Make>
nz_status made(Handle** to, std::string_view what, Make&& make) noexcept {
  if (to) *to = nullptr;
  return guarded([&] {
    Handle*& place = given(to, what);
    place = std::forward<Make>(make)().release();
  });
}

}  // namespace nz::c
