#pragma once
#include <exception>
#include <string>

#include <gtest/gtest.h>

namespace nz {

// What an exception of type E says that the body throws. Anything else fails the test.
template <class E, class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace nz
