#include "io/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

[[noreturn]] void fail(const std::string& name, int code) {
  throw BadInput(fmt::format("{}: {}", name, std::generic_category().message(code)));
}

// Closes the file when a constructor throws.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

FileSource::FileSource(const std::filesystem::path& path) : Source(path.string()) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.fd < 0) fail(name_, errno);
  struct stat about {};
  if (::fstat(file.fd, &about) != 0) fail(name_, errno);
  if (S_ISDIR(about.st_mode)) fail(name_, EISDIR);
  if (!S_ISREG(about.st_mode))
    throw BadInput(fmt::format("{}: not a regular file (a pipe or a device)", name_));
  size_ = static_cast<std::uint64_t>(about.st_size);
  fd_ = std::exchange(file.fd, -1);
}

FileSource::~FileSource() { ::close(fd_); }

void FileSource::read(std::uint64_t at, char* to, std::size_t n) const {
  while (n > 0) {
    const auto got = ::pread(fd_, to, std::min<std::size_t>(n, 1 << 30), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, errno);
    if (got == 0)
      throw BadInput(fmt::format("{}: cut short while it was read: {} bytes long at first, now {}",
                                 name_, size_, at));
    to += got;
    at += static_cast<std::uint64_t>(got);
    n -= static_cast<std::size_t>(got);
  }
}

void MemorySource::read(std::uint64_t at, char* to, std::size_t n) const {
  if (n > 0) std::memcpy(to, bytes_.data() + at, n);
}

}  // namespace nz
