#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace nz::test {

// Debian's Chromium, or Chrome: its path, or "" where there is none.
std::string browser();

enum class Paper { light, dark };
// What a page is shown on. What a printer would be told is told to a screen as wide as a sheet.
enum class Medium { desk, phone, print };

// Opens the page without a network, has selftest.js use it, and returns what it saw. On a phone and
// on a sheet the page is in a frame, since a window cannot be as narrow.
nlohmann::json selftest(const std::string& page, Medium medium, Paper paper);

// What a browser that runs no scripts shows of it.
nlohmann::json without_script(const std::string& page);

// The page as a browser prints it: the bytes of a PDF.
std::string printed(const std::string& page);

// A picture of the page, as PNG bytes.
std::string screenshot(const std::string& page, int width, int height, Paper paper);

}  // namespace nz::test
