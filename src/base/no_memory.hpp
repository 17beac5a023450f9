#pragma once
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace nz {

// Throws NoResource: "not enough memory for making a plan". It does so even where there is no
// memory left for the message.
[[noreturn]] void throw_no_memory(std::string_view doing);

// body(), at a boundary of the library: what the standard library throws where memory is short, or
// could never be enough, becomes NoResource.
template <class Body>
decltype(auto) or_no_memory(std::string_view doing, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    throw_no_memory(doing);
  } catch (const std::length_error&) {
    throw_no_memory(doing);
  }
}

}  // namespace nz

// The same behind the body of a function: Result f() try { ... } NZ_OR_NO_MEMORY("f")
#define NZ_OR_NO_MEMORY(doing)       \
  catch (const std::bad_alloc&) {    \
    ::nz::throw_no_memory(doing);    \
  }                                  \
  catch (const std::length_error&) { \
    ::nz::throw_no_memory(doing);    \
  }
