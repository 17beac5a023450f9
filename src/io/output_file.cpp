#include "io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

// 0, or why what was written is not on the disk. Some files and folders cannot be flushed.
int flush(int fd) {
  while (::fsync(fd) != 0)
    if (errno != EINTR) return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
  return 0;
}

// A new name is on the disk when its folder is. A folder that may not be read is left to itself.
int flush_folder(const std::filesystem::path& file) {
  const auto folder = file.parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;
  const int code = flush(fd);
  ::close(fd);
  return code;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : name_(path), target_(path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (const auto real = fs::canonical(path, ignored); !ignored) target_ = real;
  struct stat about {};
  const bool exists = ::stat(target_.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(about.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    return;
  }
  // A file that may not be written must not be replaced either.
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  static std::atomic<unsigned> count{0};
  do {
    temporary_ = fmt::format("{}.{}-{}.tmp", target_.string(), ::getpid(), count++);
    unfinished_.forget();
    fd_ = unfinished_.create(temporary_);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    const int code = errno;
    temporary_.clear();
    fail(code);
  }
  // Who could read the old file can read the new one; where that is refused, the default stands.
  if (exists && ::fchmod(fd_, about.st_mode & 0777) != 0) errno = 0;
}

// A copy of the descriptor can be closed, which tells of what failed late, as any other.
OutputFile::OutputFile(int descriptor, const std::string& name)
    : name_(name), target_(name), fd_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
  if (fd_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  close();
  discard();
}

void OutputFile::discard() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  unfinished_.forget();
}

void OutputFile::reserve(std::uint64_t bytes) {
  if (temporary_.empty() || bytes == 0) return;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  const auto size = static_cast<off_t>(std::min(bytes, most));
  int code = EINTR;
  while (code == EINTR)
#if defined(__linux__)
    // A disk that cannot reserve says so; posix_fallocate would write all of the file there.
    code = ::fallocate(fd_, 0, 0, size) == 0 ? 0 : errno;
#else
    code = ::posix_fallocate(fd_, 0, size);
#endif
  if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    throw Error(fmt::format("{}: no room for {} bytes: {}", name_.string(), bytes,
                            std::generic_category().message(code)));
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), 1 << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::commit() {
  const bool replaces = !temporary_.empty();
  if (replaces)
    if (const int code = flush(fd_)) fail(code);
  // Some systems report a full disk only now.
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail(errno);
  if (!replaces) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  unfinished_.forget();
  if (const int code = flush_folder(target_)) fail(code);
}

void OutputFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void OutputFile::fail(int code) {
  reader_has_gone_ = code == EPIPE;
  throw Error(
      fmt::format("{}: cannot write: {}", name_.string(), std::generic_category().message(code)));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

void require_writable(const std::filesystem::path& path) { require_room(path, 0); }

void require_room(const std::filesystem::path& path, std::uint64_t bytes) {
  struct stat about {};
  // A pipe would wait for its reader, and everything else could not be taken back.
  if (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return;
  OutputFile tried(path);
  tried.reserve(bytes);
}

}  // namespace nz
