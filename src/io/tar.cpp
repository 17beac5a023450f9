#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/other_files.hpp"
#include "io/text.hpp"

namespace nz {
namespace {

constexpr std::size_t block = 512;
constexpr std::size_t longest_name = 1 << 16;  // of those that do not fit a header

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", name, what));
}

// Digits of base 8 between blanks, or, with the top bit set, bytes of a number.
std::optional<std::uint64_t> number(std::string_view field) {
  std::uint64_t v = 0;
  if ((static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    for (std::size_t k = 1; k < field.size(); ++k) {
      if (v >> 48 != 0) return std::nullopt;
      v = v << 8 | static_cast<unsigned char>(field[k]);
    }
    return v;
  }
  std::size_t k = 0;
  while (k < field.size() && field[k] == ' ') ++k;
  const std::size_t first = k;
  for (; k < field.size() && field[k] >= '0' && field[k] <= '7'; ++k)
    v = v << 3 | static_cast<std::uint64_t>(field[k] - '0');
  if (k == first || (k < field.size() && field[k] != ' ' && field[k] != '\0')) return std::nullopt;
  return v;
}

// The sum of a header's bytes, its own field taken for blanks.
bool sum_is_right(std::string_view header) {
  std::uint64_t sum = 8 * ' ';
  for (std::size_t k = 0; k < block; ++k)
    if (k < 148 || k >= 156) sum += static_cast<unsigned char>(header[k]);
  return number(header.substr(148, 8)) == sum;
}

std::string_view until_zero(std::string_view field) { return field.substr(0, field.find('\0')); }

// "LENGTH path=VALUE\n" lines of a pax header.
std::string pax_path(std::string_view text) {
  std::string path;
  while (!text.empty()) {
    std::size_t length = 0, k = 0;
    for (; k < text.size() && k < 6 && text[k] >= '0' && text[k] <= '9'; ++k)
      length = length * 10 + static_cast<std::size_t>(text[k] - '0');
    if (length <= k || length > text.size()) break;
    const std::string_view line = text.substr(k, length - k);
    if (line.starts_with(" path=") && line.ends_with('\n')) path = line.substr(6, line.size() - 7);
    text.remove_prefix(length);
  }
  return path;
}

// Member after member of a stream, which stands behind the last header.
class TarReader {
 public:
  TarReader(const std::string& name, ByteStream& stream) : name_(name), stream_(stream) {}

  // The next plain file; nothing behind the last.
  std::optional<Member> next() {
    std::string long_name;
    for (;;) {
      skip_to(next_);
      char bytes[block];
      const std::size_t got = stream_.read(bytes, block);
      at_ += got;
      const std::string_view header(bytes, got);
      if (got < block) fail(name_, "the tar file is cut short");
      if (header.find_first_not_of('\0') == header.npos) return std::nullopt;  // its end
      const auto size = number(header.substr(124, 12));
      if (!sum_is_right(header) || !size)
        fail(name_, fmt::format("broken tar header at byte {}", at_ - block));
      if (*size > std::numeric_limits<std::uint64_t>::max() / 4)
        fail(name_, fmt::format("a tar member of {} bytes", *size));
      next_ = at_ + (*size + block - 1) / block * block;
      const char type = header[156];
      if (type == 'L' || type == 'x') {
        const std::string text = short_text(*size);
        long_name = type == 'L' ? std::string(until_zero(text)) : pax_path(text);
        continue;
      }
      if (type != '0' && type != '\0') {
        long_name.clear();
        continue;
      }
      std::string name(until_zero(header.substr(0, 100)));
      if (const auto prefix = until_zero(header.substr(345, 155));
          header.substr(257, 5) == "ustar" && header[262] == '\0' && !prefix.empty())
        name = fmt::format("{}/{}", prefix, name);
      return Member{long_name.empty() ? name : long_name, at_, *size};
    }
  }

 private:
  void skip_to(std::uint64_t at) {
    if (skip(stream_, at - at_) != at - at_) fail(name_, "the tar file is cut short");
    at_ = at;
  }
  std::string short_text(std::uint64_t size) {
    if (size > longest_name) fail(name_, fmt::format("a name of {} bytes in the tar file", size));
    std::string text(size, '\0');
    const std::size_t got = stream_.read(text.data(), text.size());
    at_ += got;
    if (got < text.size()) fail(name_, "the tar file is cut short");
    return text;
  }

  const std::string& name_;
  ByteStream& stream_;
  std::uint64_t at_ = 0, next_ = 0;
};

// Whether it is NAME/NAME.mtx, as the SuiteSparse collection has it.
bool named_as_its_folder(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == path.npos) return false;
  const std::string_view folder = path.substr(0, slash), file = path.substr(slash + 1);
  return folder.substr(folder.rfind('/') + 1) == file.substr(0, file.rfind('.'));
}

std::string listed(const std::vector<Member>& members) {
  std::string all;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (k == 8) return all + fmt::format(" and {} more", members.size() - k);
    all += (k == 0 ? "" : ", ") + nz::quoted(members[k].name);
  }
  return all;
}

}  // namespace

bool is_tar(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  return text.size() >= block && sum_is_right(text.substr(0, block));
}

Member matrix_in_tar(const Source& file, const Budget& budget, Packing packing) {
  const auto stream = open_stream(file, budget, packing);
  TarReader tar(file.name(), *stream);
  std::vector<Member> named, others;
  while (auto member = tar.next()) {
    if (!member->name.ends_with(".mtx") && !member->name.ends_with(".rb")) continue;
    // Messages have the name as it stands.
    if (std::any_of(member->name.begin(), member->name.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }))
      fail(file.name(), fmt::format("the tar file has a member {}", nz::quoted(member->name)));
    if (named.size() + others.size() == 1000) fail(file.name(), "more than 1000 matrices in it");
    (named_as_its_folder(member->name) ? named : others).push_back(std::move(*member));
  }
  // Those beside it are right-hand sides, solutions, coordinates.
  std::vector<Member>& found = named.empty() ? others : named;
  if (found.empty()) fail(file.name(), "no .mtx or .rb file in this tar file");
  if (found.size() > 1)
    fail(file.name(), fmt::format("which one? This tar file has {}", listed(found)));
  return std::move(found[0]);
}

}  // namespace nz
