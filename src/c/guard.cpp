#include "c/guard.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <nonzero/error.hpp>

namespace nz::c {
namespace {

// Of a fixed size: it must be there where memory is not.
thread_local char text[1024] = "";

}  // namespace

nz_status failure(nz_status status, const char* what) noexcept {
  const std::size_t length = std::min(std::strlen(what), sizeof text - 1);
  std::memmove(text, what, length);  // it may be the text of before
  text[length] = '\0';
  return status;
}

nz_status failure() noexcept {
  try {
    throw;
  } catch (const InvalidArgument& e) {
    return failure(NZ_INVALID_ARGUMENT, e.what());
  } catch (const BadInput& e) {
    return failure(NZ_BAD_INPUT, e.what());
  } catch (const Refused& e) {
    return failure(NZ_REFUSED, e.what());
  } catch (const NoResource& e) {
    return failure(NZ_NO_RESOURCE, e.what());
  } catch (const DeviceFault& e) {
    return failure(NZ_DEVICE_FAULT, e.what());
  } catch (const Error& e) {
    return failure(NZ_FAILED, e.what());
  } catch (const std::bad_alloc&) {
    return failure(NZ_NO_RESOURCE, "not enough memory");
  } catch (const std::length_error&) {
    return failure(NZ_NO_RESOURCE, "not enough memory: it could never be enough");
  } catch (const std::exception& e) {
    return failure(NZ_INTERNAL, e.what());
  } catch (...) {
    return failure(NZ_INTERNAL, "something that is no std::exception was thrown");
  }
}

const char* last_error() noexcept { return text; }

void throw_null(std::string_view what) { throw InvalidArgument(std::string(what) + " is NULL"); }

}  // namespace nz::c
