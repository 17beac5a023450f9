#pragma once
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "io/read_text.hpp"

namespace nz::test {

// A broken file and a part of what must be said of it.
using Hostile = std::vector<std::pair<std::string, std::string>>;

inline void expect_refusals(const std::string& name, const Hostile& files) {
  for (const auto& [bytes, message] : files) try {
      (void)read_matrix_bytes<double, std::int32_t>({name, {bytes.data(), bytes.size()}});
      ADD_FAILURE() << "not refused: " << message;
    } catch (const BadInput& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with(name) && said.find(message) != said.npos)
          << said << "\n  instead of: " << message;
    }
}

// However many bytes are left of it, it is refused or, behind the last that matters, the same.
inline void expect_every_cut_refused(const std::string& name, const std::string& bytes,
                                     std::size_t matter) {
  for (std::size_t n = 0; n < matter; ++n)
    EXPECT_THROW((read_matrix_bytes<double, std::int32_t>({name, {bytes.data(), n}})), BadInput)
        << n << " of " << bytes.size();
}

}  // namespace nz::test
