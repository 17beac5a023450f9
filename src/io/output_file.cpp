#include "io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {

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
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    const int code = errno;
    temporary_.clear();
    fail(code);
  }
  // Who could read the old file can read the new one; where that is refused, the default stands.
  if (exists && ::fchmod(fd_, about.st_mode & 0777) != 0) errno = 0;
}

OutputFile::~OutputFile() {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  // Some systems report a full disk only now.
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void OutputFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void OutputFile::fail(int code) const {
  throw Error(
      fmt::format("{}: cannot write: {}", name_.string(), std::generic_category().message(code)));
}

}  // namespace nz
