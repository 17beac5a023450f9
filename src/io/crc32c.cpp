#include "io/crc32c.hpp"

#include <array>
#include <cstring>

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
// By the compilers' own names: arm_acle.h offers them only to whole files built for it.
#ifdef __clang__
#define NZ_CRC_TARGET "crc"
#define NZ_CRC_STEP __builtin_arm_crc32cd
#else
#define NZ_CRC_TARGET "+crc"
#define NZ_CRC_STEP __builtin_aarch64_crc32cx
#endif
#elif defined(__x86_64__)
#define NZ_CRC_TARGET "sse4.2"
#define NZ_CRC_STEP __builtin_ia32_crc32di
#endif

namespace nz {
namespace {

// table[k][b]: what byte b contributes with k more bytes behind it.
constexpr auto make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> table{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
    table[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
  return table;
}
constexpr auto tables = make_tables();

std::uint32_t by_table(std::uint32_t crc, const unsigned char* p, std::size_t n) {
  for (; n >= 8; n -= 8, p += 8) {
    crc ^= p[0] | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
    crc = tables[7][crc & 0xff] ^ tables[6][crc >> 8 & 0xff] ^ tables[5][crc >> 16 & 0xff] ^
          tables[4][crc >> 24] ^ tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^
          tables[0][p[7]];
  }
  for (; n > 0; --n) crc = crc >> 8 ^ tables[0][(crc ^ *p++) & 0xff];
  return crc;
}

#ifdef NZ_CRC_TARGET
__attribute__((target(NZ_CRC_TARGET))) std::uint32_t by_instruction(std::uint32_t crc,
                                                                    const unsigned char* p,
                                                                    std::size_t n) {
  for (; n >= 8; n -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    crc = static_cast<std::uint32_t>(NZ_CRC_STEP(crc, word));
  }
  return by_table(crc, p, n);
}

__attribute__((target(NZ_CRC_TARGET))) void four_by_instruction(const unsigned char* p,
                                                                std::size_t n,
                                                                std::uint32_t (&crc)[4]) {
  const auto word = [](const unsigned char* at) {
    std::uint64_t w;
    std::memcpy(&w, at, 8);
    return w;
  };
  std::uint32_t a = ~0u, b = ~0u, c = ~0u, d = ~0u;
  for (std::size_t k = 0; k < n; k += 8) {
    a = static_cast<std::uint32_t>(NZ_CRC_STEP(a, word(p + k)));
    b = static_cast<std::uint32_t>(NZ_CRC_STEP(b, word(p + n + k)));
    c = static_cast<std::uint32_t>(NZ_CRC_STEP(c, word(p + 2 * n + k)));
    d = static_cast<std::uint32_t>(NZ_CRC_STEP(d, word(p + 3 * n + k)));
  }
  crc[0] = ~a, crc[1] = ~b, crc[2] = ~c, crc[3] = ~d;
}

bool has_instruction() {
#ifdef __aarch64__
  static const bool has = (::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
#endif
  return has;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(const void* data, std::size_t bytes, std::uint32_t crc) {
  return ~by_table(~crc, static_cast<const unsigned char*>(data), bytes);
}

std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t crc) {
#ifdef NZ_CRC_TARGET
  if (has_instruction())
    return ~by_instruction(~crc, static_cast<const unsigned char*>(data), bytes);
#endif
  return crc32c_by_table(data, bytes, crc);
}

void crc32c_of_four(const void* data, std::size_t bytes, std::uint32_t (&crc)[4]) {
  const auto* const p = static_cast<const unsigned char*>(data);
#ifdef NZ_CRC_TARGET
  if (has_instruction()) return four_by_instruction(p, bytes, crc);
#endif
  for (std::size_t k = 0; k < 4; ++k) crc[k] = crc32c_by_table(p + k * bytes, bytes);
}

}  // namespace nz
