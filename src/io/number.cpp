#include "io/number.hpp"

namespace nz::number {

Result settle_out_of_range(const char* p, const char* end) {
  const char* first = nullptr;  // digit that is not zero
  const char* point = nullptr;
  for (; p < end && (is_digit(*p) || *p == '.'); ++p) {
    if (*p == '.')
      point = p;
    else if (first == nullptr && *p != '0')
      first = p;
  }
  if (first == nullptr) return Result::ok;
  if (point == nullptr) point = p;
  const std::int64_t place = first < point ? point - first - 1 : point - first;
  std::int64_t exponent = 0;
  if (p < end) ++p;  // the e
  const bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  // Far beyond any place that a text in memory can have.
  constexpr std::int64_t enough = std::int64_t{1} << 56;
  for (; p < end && is_digit(*p); ++p)
    if (exponent < enough) exponent = exponent * 10 + (*p - '0');
  return place + (minus ? -exponent : exponent) > 0 ? Result::too_large : Result::ok;
}

}  // namespace nz::number
