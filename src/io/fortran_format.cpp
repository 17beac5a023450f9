#include "io/fortran_format.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/instantiate.hpp"

namespace nz {
namespace {

constexpr std::size_t widest = 128;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Reads what a format is made of, one after another.
struct Letters {
  std::string text;
  std::size_t at = 0;

  char now() const { return at < text.size() ? text[at] : '\0'; }
  bool take(char c) {
    if (now() != c) return false;
    ++at;
    return true;
  }
  // -1 where there are no digits; too large a number is 10000.
  int whole() {
    if (!number::is_digit(now())) return -1;
    int v = 0;
    while (number::is_digit(now())) v = std::min(v * 10 + (text[at++] - '0'), 10000);
    return v;
  }
};

}  // namespace

bool parse_format(std::string_view text, FortranFormat& format) {
  Letters in{};
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r') in.text += upper(c);
  if (!in.take('(')) return false;
  const bool minus = in.take('-');
  int first = in.whole();
  format = {};
  if (in.take('P')) {
    if (first < 0 || first > 99) return false;
    format.scale = minus ? -first : first;
    in.take(',');
    first = in.whole();
  } else if (minus) {
    return false;
  }
  if (first == 0 || first == 10000) return false;
  format.count = first < 0 ? 1 : static_cast<std::size_t>(first);
  format.letter = in.now();
  ++in.at;
  if (std::string_view("IEDFG").find(format.letter) == std::string_view::npos) return false;
  const int width = in.whole();
  if (width <= 0 || width > static_cast<int>(widest)) return false;
  format.width = static_cast<std::size_t>(width);
  if (in.take('.')) {
    format.digits = in.whole();
    if (format.digits < 0 || format.digits > 99) return false;
    // How many digits an exponent has when it is written.
    if (in.take('E') && in.whole() < 0) return false;
  }
  if (format.letter == 'I') format.digits = 0;
  return in.take(')') && in.at == in.text.size();
}

template <Value T>
number::Result fortran_number(std::string_view field, const FortranFormat& format, bool allow_nan,
                              T& value) {
  if (field.size() > widest) return number::Result::no_number;
  if (allow_nan) {
    const auto begin = field.find_first_not_of(' '), end = field.find_last_not_of(' ');
    const std::string word =
        begin == field.npos ? "\n" : std::string(field.substr(begin, end + 1 - begin)) + '\n';
    const char* p = word.data();
    if (number::not_finite(p, value))
      return *p == '\n' ? number::Result::ok : number::Result::no_number;
  }
  char text[2 * widest + number::slack] = {};
  std::size_t n = 0;
  bool point = false, exponent = false, digit = false;
  int implied = 0;
  const auto add = [&](char c) { text[n++] = c; };
  for (const char raw : field) {
    const char c = upper(raw);
    if (c == ' ') continue;
    if (number::is_digit(c)) {
      digit = true;
      add(c);
    } else if (c == '.' && !point && !exponent) {
      point = true;
      add(c);
    } else if ((c == 'E' || c == 'D') && digit && !exponent) {
      exponent = true;
      add('e');
    } else if (c == '+' || c == '-') {
      const bool first = n == 0, after_letter = exponent && text[n - 1] == 'e';
      if (!first && !after_letter) {
        if (!digit || exponent) return number::Result::no_number;
        exponent = true;
        add('e');
      }
      add(c);
    } else {
      return number::Result::no_number;
    }
  }
  if (!digit || !number::is_digit(text[n - 1] == '.' ? '0' : text[n - 1]))
    return number::Result::no_number;
  if (!point) implied -= format.digits;
  if (!exponent) implied -= format.scale;
  if (implied != 0) {
    if (exponent) {
      // The exponent as it stands and the implied one together.
      const char* const e = std::char_traits<char>::find(text, n, 'e');
      std::ptrdiff_t sum = implied;
      text[n] = '\n';
      number::append_exponent(e, sum);
      n = static_cast<std::size_t>(e - text);
      implied = static_cast<int>(sum);
    }
    n = static_cast<std::size_t>(fmt::format_to_n(text + n, 16, "e{}", implied).out - text);
  }
  text[n] = '\n';
  const char* p = text;
  const auto result = number::real(p, value);
  if (result != number::Result::ok) return result;
  return p == text + n ? number::Result::ok : number::Result::no_number;
}

bool fortran_whole(std::string_view field, std::uint64_t& value) {
  value = 0;
  bool digit = false;
  for (const char c : field) {
    if (c == ' ' || (c == '+' && !digit)) continue;
    if (!number::is_digit(c) || value > std::uint64_t{1} << 58) return false;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    digit = true;
  }
  return digit;
}

#define NZ_INSTANTIATE(T) \
  template number::Result fortran_number<T>(std::string_view, const FortranFormat&, bool, T&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
