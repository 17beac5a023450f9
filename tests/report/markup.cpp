#include "report/markup.hpp"

#include <cmath>
#include <set>
#include <stdexcept>

namespace nz::test {
namespace {

std::string plain(std::string s) {
  for (const auto& [code, c] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t at = 0; (at = s.find(code, at)) != s.npos; ++at)
      s.replace(at, std::string(code).size(), c);
  return s;
}

}  // namespace

std::string malformed(const std::string& markup) {
  const std::set<std::string> empty{"meta", "link", "input", "br", "!doctype"};
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = markup.find('<', at)) != markup.npos;) {
    // A '>' within quotes does not end a tag.
    std::size_t end = at + 1;
    bool quoted = false;
    for (; end < markup.size() && (quoted || markup[end] != '>'); ++end)
      quoted ^= markup[end] == '"';
    if (end >= markup.size()) return "a tag does not end: " + markup.substr(at, 60);
    const std::string tag = markup.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/');
    const std::string name = tag.substr(closes, tag.find_first_of(" /\n", 1) - closes);
    at = end + 1;
    if (closes) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (!tag.ends_with('/') && !empty.contains(name)) {
      open.push_back(name);
      if (name == "script" || name == "style") at = markup.find("</" + name, at);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::vector<std::string> titles(const std::string& svg) {
  std::vector<std::string> all;
  const std::string begin = "><title>", end = "</title>";
  for (std::size_t at = 0; (at = svg.find(begin, at)) != svg.npos;) {
    at += begin.size();
    all.push_back(plain(svg.substr(at, svg.find(end, at) - at)));
  }
  return all;
}

double number_behind(const std::string& text, const std::string& marker) {
  const auto at = text.find(marker);
  if (at == text.npos) return std::nan("");
  std::string digits;
  for (std::size_t i = at + marker.size(); i < text.size(); ++i) {
    if (text[i] == ',') continue;
    if (std::string("0123456789.").find(text[i]) == std::string::npos) break;
    digits += text[i];
  }
  return digits.empty() ? std::nan("") : std::stod(digits);
}

double number_before(const std::string& text, const std::string& marker) {
  const auto end = text.find(marker);
  if (end == text.npos) return std::nan("");
  std::size_t begin = end;
  while (begin > 0 && std::string("0123456789.,").find(text[begin - 1]) != std::string::npos)
    --begin;
  return number_behind(text.substr(begin), "");
}

std::string line_of(const std::string& text, std::size_t i) {
  std::size_t at = 0;
  for (; i > 0 && at != text.npos; --i) {
    at = text.find('\n', at);
    if (at != text.npos) ++at;
  }
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

std::string embedded_data(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const auto at = page.find(begin);
  if (at == page.npos) throw std::runtime_error("the page has no data");
  const auto from = at + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

}  // namespace nz::test
