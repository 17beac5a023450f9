#pragma once
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

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

// Spoils a good matrix in one way; validate() must say exactly this.
template <class Owner>
void expect(const Owner& good, const std::function<void(Owner&)>& spoil, const std::string& want) {
  EXPECT_NO_THROW(good.validate());
  Owner bad = good;
  spoil(bad);
  EXPECT_EQ(message_of<BadInput>([&] { bad.validate(); }), want);
}

}  // namespace nz
