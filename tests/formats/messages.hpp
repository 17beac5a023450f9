#pragma once
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "support/message_of.hpp"

namespace nz {

// Spoils a good matrix in one way; validate() must say exactly this.
template <class Owner>
void expect(const Owner& good, const std::function<void(Owner&)>& spoil, const std::string& want) {
  EXPECT_NO_THROW(good.validate());
  Owner bad = good;
  spoil(bad);
  EXPECT_EQ(message_of<BadInput>([&] { bad.validate(); }), want);
}

}  // namespace nz
