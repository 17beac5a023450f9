#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int code) {
  throw BadInput(fmt::format("{}: {}", path.string(), std::generic_category().message(code)));
}

struct Descriptor {
  int fd;
  ~Descriptor() { ::close(fd); }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail(path, errno);
  const Descriptor file{fd};
  struct stat about {};
  if (::fstat(fd, &about) != 0) fail(path, errno);
  if (S_ISDIR(about.st_mode)) fail(path, EISDIR);
  if (!S_ISREG(about.st_mode))
    throw BadInput(fmt::format("{}: not a regular file (a pipe or a device)", path.string()));
  if (about.st_size == 0) return;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) fail(path, errno);
  data_ = data;
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace nz
