#include "io/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>

#include "io/stream.hpp"
#include "io/text.hpp"

namespace nz {
namespace {

constexpr std::string_view entry_magic = "PK\1\2", local_magic = "PK\3\4", end_magic = "PK\5\6",
                           end64_magic = "PK\6\6", locator_magic = "PK\6\7";
constexpr std::size_t entry_bytes = 46, local_bytes = 30, end_bytes = 22, end64_bytes = 56,
                      locator_bytes = 20;
// Files of matrices have six members; this is for others, which are told from them by the names.
constexpr std::uint64_t longest_directory = std::uint64_t{16} << 20;

[[noreturn]] void fail(const Source& file, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", file.name(), what));
}

// Little-endian numbers of a record.
class Record {
 public:
  Record(const Source& file, std::uint64_t at, std::size_t n, std::string_view magic)
      : bytes_(n, '\0') {
    if (at > file.size() || file.size() - at < n) fail(file, "a record of the zip file is cut off");
    file.read(at, bytes_.data(), n);
    if (!bytes_.starts_with(magic))
      fail(file, fmt::format("the zip file has no record where one should be, at byte {}", at));
  }
  std::uint64_t number(std::size_t at, std::size_t n) const { return little(bytes_, at, n); }

  static std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t n) {
    std::uint64_t v = 0;
    for (std::size_t k = n; k-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[at + k]);
    return v;
  }

 private:
  std::string bytes_;
};

// Where the record at the end of the file is: behind it there may be a comment.
std::uint64_t end_record(const Source& file) {
  const auto n = static_cast<std::size_t>(
      std::min<std::uint64_t>(file.size(), end_bytes + std::size_t{0xffff}));
  std::string tail(n, '\0');
  file.read(file.size() - n, tail.data(), n);
  for (std::size_t at = n; at-- > 0;)
    if (n - at >= end_bytes && std::string_view(tail).substr(at).starts_with(end_magic) &&
        Record::little(tail, at + 20, 2) == n - at - end_bytes)
      return file.size() - n + at;
  fail(file, "the zip file is cut short: it has no directory at its end");
}

// Passes on a member's bytes, which must be as many as announced and have the checksum.
class Checked final : public ByteStream {
 public:
  Checked(const Source& file, ByteStream& from, std::uint64_t size, std::uint32_t checksum)
      : file_(file), from_(from), size_(size), checksum_(checksum) {}

  std::size_t read(char* to, std::size_t n) override {
    const std::size_t got = from_.read(to, n);
    count_ += got;
    sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(to), got);
    if (count_ > size_ || (got < n && count_ != size_))
      fail(file_, fmt::format("{} bytes announced, but there are {}", size_,
                              count_ > size_ ? "more" : std::to_string(count_)));
    if (got < n && sum_ != checksum_) fail(file_, "damaged: its checksum is wrong");
    return got;
  }
  std::uint64_t taken() const override { return from_.taken(); }

 private:
  const Source& file_;
  ByteStream& from_;
  std::uint64_t size_, count_ = 0;
  std::uint32_t checksum_;
  uLong sum_ = crc32_z(0, nullptr, 0);
};

}  // namespace

bool is_zip(std::string_view head) {
  return head.starts_with(local_magic) || head.starts_with(end_magic);
}

ZipFile::ZipFile(const Source& file) : file_(file) {
  const std::uint64_t end_at = end_record(file);
  const Record end(file, end_at, end_bytes, end_magic);
  std::uint64_t disk = end.number(4, 2), members = end.number(10, 2), bytes = end.number(12, 4),
                at = end.number(16, 4);
  if (members == 0xffff || bytes == 0xffffffff || at == 0xffffffff) {
    if (end_at < locator_bytes) fail(file, "the zip file has no 64-bit directory");
    const Record locator(file, end_at - locator_bytes, locator_bytes, locator_magic);
    const Record end64(file, locator.number(8, 8), end64_bytes, end64_magic);
    disk = end64.number(16, 4);
    members = end64.number(32, 8);
    bytes = end64.number(40, 8);
    at = end64.number(48, 8);
  }
  if (disk != 0) fail(file, "a part of a zip file in several parts");
  if (at > file.size() || bytes > file.size() - at)
    fail(file, "the directory of the zip file lies beyond its end");
  if (bytes > longest_directory)
    fail(file, fmt::format("the directory of the zip file has {} bytes, more than {}", bytes,
                           longest_directory));
  read_directory(at, bytes, members);
}

void ZipFile::read_directory(std::uint64_t at, std::uint64_t bytes, std::uint64_t members) {
  std::string all(static_cast<std::size_t>(bytes), '\0');
  file_.read(at, all.data(), all.size());
  const auto broken = [&] { fail(file_, "the directory of the zip file is broken"); };
  std::size_t from = 0;
  for (std::uint64_t m = 0; m < members; ++m) {
    if (all.size() - from < entry_bytes) broken();
    const std::string_view e = std::string_view(all).substr(from);
    const auto number = [&](std::size_t where, std::size_t n) {
      return Record::little(e, where, n);
    };
    const std::size_t name = number(28, 2), extra = number(30, 2), comment = number(32, 2);
    if (!e.starts_with(entry_magic) || e.size() - entry_bytes < name + extra + comment) broken();
    Member member{std::string(e.substr(entry_bytes, name)),
                  static_cast<std::uint32_t>(number(8, 2)),
                  static_cast<std::uint32_t>(number(10, 2)),
                  static_cast<std::uint32_t>(number(16, 4)),
                  number(20, 4),
                  number(24, 4),
                  number(42, 4)};
    // 64-bit sizes stand behind the name, in this order, for those that are all ones here.
    std::string_view extras = e.substr(entry_bytes + name, extra);
    while (extras.size() >= 4) {
      const std::size_t length = Record::little(extras, 2, 2);
      if (extras.size() - 4 < length) broken();
      if (Record::little(extras, 0, 2) == 1) {
        std::size_t next = 4;
        for (std::uint64_t* wide : {&member.unpacked, &member.packed, &member.at}) {
          if (*wide != 0xffffffff) continue;
          if (next + 8 > 4 + length) broken();
          *wide = Record::little(extras, next, 8);
          next += 8;
        }
      }
      extras.remove_prefix(4 + length);
    }
    members_.push_back(std::move(member));
    from += entry_bytes + name + extra + comment;
  }
}

const ZipFile::Member* ZipFile::find(std::string_view name) const {
  for (const Member& m : members_)
    if (m.name == name) return &m;
  return nullptr;
}

std::string ZipFile::names() const {
  std::string all;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (k == 20) return all + ", ...";
    all += (k == 0 ? "" : ", ") + nz::quoted(members_[k].name);
  }
  return all.empty() ? "nothing" : all;
}

std::unique_ptr<Source> ZipFile::open(std::string_view name, Budget& budget) const {
  const Member& m = *find(name);
  const std::string called = fmt::format("{}: {}", file_.name(), m.name);
  const Record local(file_, m.at, local_bytes, local_magic);
  const std::uint64_t at = m.at + local_bytes + local.number(26, 2) + local.number(28, 2);
  if (at > file_.size() || m.packed > file_.size() - at)
    throw BadInput(fmt::format("{}: goes beyond the end of the zip file", called));
  auto packed = std::make_unique<PartSource>(called, file_, at, m.packed);
  if ((m.flags & 1) != 0) fail(*packed, "encrypted");
  if (m.method != 0 && m.method != 8)
    fail(*packed, fmt::format("compressed by method {}; only deflate is supported", m.method));
  if (m.method == 0) {
    const auto stream = open_stream(*packed, budget, Packing::none);
    Checked checked(*packed, *stream, m.unpacked, m.checksum);
    drain(checked);
    return packed;
  }
  // Before anything is unpacked: who announces too much is not worth the time.
  budget.require(m.unpacked, called, "unpacked, it");
  const auto stream = unpack_deflate(*packed, budget, Wrapping::none);
  Checked checked(*packed, *stream, m.unpacked, m.checksum);
  return std::make_unique<UnpackedSource>(checked, *packed, budget);
}

}  // namespace nz
