#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace nz::test {

// Debian's Chromium, or Chrome: its path, or "" where there is none.
std::string browser();

enum class Paper { light, dark };

// Opens the page in a window of that width, without a network, has selftest.js use it, and returns
// what it saw. On a phone the page is in a frame, since a window cannot be as narrow.
nlohmann::json selftest(const std::string& page, bool phone, Paper paper);

// A picture of the page, as PNG bytes.
std::string screenshot(const std::string& page, int width, int height, Paper paper);

}  // namespace nz::test
