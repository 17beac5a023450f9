#pragma once
#include <string>
#include <vector>

namespace nz::test {

// What is wrong with the nesting of tags; "" when nothing is. Knows the empty elements of HTML, and
// that scripts and styles are not markup.
std::string malformed(const std::string& markup);

// What a page would load that it does not have within itself; "" when nothing. Links to click on
// and names of XML are no loads.
std::string loaded_from_elsewhere(const std::string& page);

// The texts of all <title> elements within shapes: what marks say when pointed at.
std::vector<std::string> titles(const std::string& svg);

// The number that stands before, or behind, the first occurrence of a text; NaN where there is
// none. Commas within it are grouping.
double number_before(const std::string& text, const std::string& marker);
double number_behind(const std::string& text, const std::string& marker);

// Line i of a text, from 0; "" beyond the last.
std::string line_of(const std::string& text, std::size_t i);

// The JSON that the page's table is made from.
std::string embedded_data(const std::string& page);

}  // namespace nz::test
