#include "io/number.hpp"

namespace nz::number {
namespace {

// Of a number that std::from_chars calls out of range: is it above one? Otherwise it is so small
// that zero is the nearest.
bool above_one(const char* p, const char* end) {
  const char* first = nullptr;  // digit that is not zero
  const char* point = nullptr;
  for (; p < end && (is_digit(*p) || *p == '.'); ++p) {
    if (*p == '.')
      point = p;
    else if (first == nullptr && *p != '0')
      first = p;
  }
  if (first == nullptr) return false;
  if (point == nullptr) point = p;
  const std::int64_t place = first < point ? point - first - 1 : point - first;
  if (p < end) ++p;  // the e
  const bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  // Far beyond any place that a text in memory can have.
  constexpr std::int64_t enough = std::int64_t{1} << 56;
  std::int64_t exponent = 0;
  for (; p < end && is_digit(*p); ++p)
    if (exponent < enough) exponent = exponent * 10 + (*p - '0');
  return place + (minus ? -exponent : exponent) > 0;
}

}  // namespace

template <Value T>
Result unusual(const char* start, const char* end, T& value) {
  const auto [stop, error] = std::from_chars(start, end, value);
  if (error == std::errc::result_out_of_range || !std::isfinite(value)) {
    if (above_one(start, end)) return Result::too_large;
    value = 0;
  }
  return error == std::errc::invalid_argument || stop != end ? Result::no_number : Result::ok;
}

template <Value T>
bool not_finite(const char*& p, T& value) {
  const char* s = p;
  const bool negative = *s == '-';
  s += negative || *s == '+';
  // Lines end with '\n', which no word has: nothing behind it is looked at.
  const auto take = [&](const char* word) {
    const char* q = s;
    for (; *word != '\0'; ++word, ++q)
      if ((*q | 0x20) != *word) return false;
    s = q;
    return true;
  };
  T v;
  if (take("nan"))
    v = std::numeric_limits<T>::quiet_NaN();
  else if (take("infinity") || take("inf"))
    v = std::numeric_limits<T>::infinity();
  else
    return false;
  value = negative ? -v : v;
  p = s;
  return true;
}

template Result unusual(const char*, const char*, float&);
template Result unusual(const char*, const char*, double&);
template bool not_finite(const char*&, float&);
template bool not_finite(const char*&, double&);

}  // namespace nz::number
