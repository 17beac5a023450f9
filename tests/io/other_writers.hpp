#pragma once
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

// Small writers of other programs' files, which can lie where a test asks them to.
namespace nz::test {

inline std::string little(std::uint64_t v, std::size_t bytes) {
  std::string s;
  for (std::size_t k = 0; k < bytes; ++k) s += static_cast<char>(v >> 8 * k & 0xff);
  return s;
}

template <class T>
std::string raw(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

inline std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}\n", type, shape);
  return std::string("\x93NUMPY\1\0", 8) + little(header.size(), 2) + header + data;
}
inline std::string npy_i4(const std::vector<std::int32_t>& v) {
  return npy("<i4", fmt::format("({},)", v.size()), raw(v));
}
inline std::string npy_f8(const std::vector<double>& v) {
  return npy("<f8", fmt::format("({},)", v.size()), raw(v));
}

// A stored member, and what its directory says where that is not the truth.
struct ZipMember {
  std::string name, bytes;
  std::uint32_t method = 0, flags = 0;
  std::uint64_t unpacked = ~std::uint64_t{0};
  bool wide = false;  // sizes of 64 bits
  std::uint32_t checksum = 0;
};

inline std::string zip(const std::vector<ZipMember>& members, bool wide_end = false) {
  std::string file, directory;
  for (const ZipMember& m : members) {
    const std::uint64_t unpacked = m.unpacked == ~std::uint64_t{0} ? m.bytes.size() : m.unpacked;
    const std::uint32_t sum =
        m.checksum != 0 ? m.checksum
                        : static_cast<std::uint32_t>(crc32_z(
                              0, reinterpret_cast<const Bytef*>(m.bytes.data()), m.bytes.size()));
    const std::uint64_t at = file.size();
    const std::string common = little(m.flags, 2) + little(m.method, 2) + little(0, 4) +
                               little(sum, 4) + little(m.wide ? 0xffffffff : m.bytes.size(), 4) +
                               little(m.wide ? 0xffffffff : unpacked, 4) + little(m.name.size(), 2);
    const std::string extra =
        m.wide ? little(1, 2) + little(16, 2) + little(unpacked, 8) + little(m.bytes.size(), 8)
               : "";
    file += "PK\3\4" + little(45, 2) + common + little(extra.size(), 2) + m.name + extra + m.bytes;
    directory += "PK\1\2" + little(45, 2) + little(45, 2) + common + little(extra.size(), 2) +
                 little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(at, 4) +
                 m.name + extra;
  }
  const std::uint64_t at = file.size(), end64 = at + directory.size();
  file += directory;
  if (wide_end)
    file += "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 4) + little(0, 4) +
            little(members.size(), 8) + little(members.size(), 8) + little(directory.size(), 8) +
            little(at, 8) + "PK\6\7" + little(0, 4) + little(end64, 8) + little(1, 4);
  return file + "PK\5\6" + little(0, 4) + little(wide_end ? 0xffff : members.size(), 2) +
         little(wide_end ? 0xffff : members.size(), 2) +
         little(wide_end ? 0xffffffff : directory.size(), 4) +
         little(wide_end ? 0xffffffff : at, 4) + little(0, 2);
}

inline std::string mat_element(std::uint32_t type, const std::string& data) {
  return little(type, 4) + little(data.size(), 4) + data +
         std::string((8 - data.size() % 8) % 8, '\0');
}
inline std::string mat_header() {
  std::string text = "MATLAB 5.0 MAT-file, made by a test";
  text.append(124 - text.size(), ' ');
  return text + std::string("\0\1IM", 4);
}
// A sparse matrix of doubles, as an element.
inline std::string mat_sparse(const std::string& name, std::int32_t rows, std::int32_t cols,
                              const std::vector<std::int32_t>& row,
                              const std::vector<std::int32_t>& offsets, const std::string& values,
                              std::uint32_t flags = 5) {
  return mat_element(14, mat_element(6, little(flags, 4) + little(row.size(), 4)) +
                             mat_element(5, raw<std::int32_t>({rows, cols})) +
                             mat_element(1, name) + mat_element(5, raw(row)) +
                             mat_element(5, raw(offsets)) + values);
}

inline std::string tar_header(const std::string& name, std::uint64_t size, char type = '0') {
  std::string h(512, '\0');
  const auto put = [&](std::size_t at, const std::string& s) { h.replace(at, s.size(), s); };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", size));
  h[156] = type;
  put(257, std::string("ustar\0", 6) + "00");
  put(148, "        ");
  unsigned sum = 0;
  for (const char c : h) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return h;
}
inline std::string tar_member(const std::string& name, const std::string& bytes, char type = '0') {
  return tar_header(name, bytes.size(), type) + bytes +
         std::string((512 - bytes.size() % 512) % 512, '\0');
}

}  // namespace nz::test
