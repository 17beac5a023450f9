#include "report/markup.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace nz::test {
namespace {

std::string plain(std::string s) {
  for (const auto& [code, c] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t at = 0; (at = s.find(code, at)) != s.npos; ++at)
      s.replace(at, std::string(code).size(), c);
  return s;
}

std::string lower(std::string s) {
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

// Where the tag that begins here ends. A '>' within quotes does not end it.
std::size_t end_of_tag(const std::string& markup, std::size_t at) {
  char quote = 0;
  for (; at < markup.size() && (quote || markup[at] != '>'); ++at) {
    if (quote)
      quote = markup[at] == quote ? '\0' : quote;
    else if (markup[at] == '"' || markup[at] == '\'')
      quote = markup[at];
  }
  return at;
}

// The attributes of a tag with their values, both in small letters.
std::vector<std::pair<std::string, std::string>> attributes(const std::string& tag) {
  std::vector<std::pair<std::string, std::string>> all;
  const std::string space = " \t\n\r/";
  std::size_t at = tag.find_first_of(space);
  while ((at = tag.find_first_not_of(space, at)) != tag.npos) {
    const std::size_t equals = tag.find_first_of("= \t\n\r", at);
    if (equals == tag.npos) break;
    const std::string key = lower(tag.substr(at, equals - at));
    at = equals;
    if (tag[equals] != '=') continue;
    const char quote = equals + 1 < tag.size() ? tag[equals + 1] : ' ';
    const bool quoted = quote == '"' || quote == '\'';
    const std::size_t begin = equals + 1 + quoted;
    const std::size_t end =
        std::min(quoted ? tag.find(quote, begin) : tag.find_first_of(" \t\n\r", begin), tag.size());
    all.emplace_back(key, lower(tag.substr(begin, end - begin)));
    at = end + quoted;
  }
  return all;
}

}  // namespace

std::string malformed(const std::string& markup) {
  const std::set<std::string> empty{"meta", "link", "input", "br", "img", "!doctype"};
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

std::string loaded_from_elsewhere(const std::string& page) {
  static const std::set<std::string> loading{"src",  "srcset", "href",   "xlink:href",
                                             "data", "poster", "action", "background"};
  // Scripts and styles are no markup, but load by calls and rules of their own.
  static const std::vector<std::string> calls{"@import",    "fetch(",       "XMLHttpRequest",
                                              "import(",    "WebSocket",    "EventSource",
                                              "sendBeacon", "importScripts"};
  const auto within = [](const std::string& text, const std::string& what) {
    return text.starts_with('#') || text.starts_with("data:") ? "" : what;
  };
  for (std::size_t at = 0; (at = page.find('<', at)) != page.npos;) {
    const std::size_t end = end_of_tag(page, at);
    const std::string tag = page.substr(at + 1, std::min(end, page.size()) - at - 1);
    const std::string name = lower(tag.substr(0, tag.find_first_of(" \n/>")));
    at = end;
    for (const auto& [key, value] : attributes(tag))
      if (name != "a" && loading.contains(key))
        if (const std::string what = within(value, tag); !what.empty()) return what;
    if ((name != "script" && name != "style") || tag.find("application/json") != tag.npos) continue;
    const std::size_t close = std::min(page.find("</" + name, end), page.size());
    const std::string inside = page.substr(end, close - end);
    for (const std::string& call : calls)
      if (inside.find(call) != inside.npos) return call;
    for (std::size_t u = 0; (u = inside.find("url(", u)) != inside.npos;) {
      u = std::min(inside.find_first_not_of(" \"'", u + 4), inside.size());
      if (const std::string what = within(inside.substr(u, 80), "url(" + inside.substr(u, 80));
          !what.empty())
        return what;
    }
    at = close;
  }
  return "";
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
