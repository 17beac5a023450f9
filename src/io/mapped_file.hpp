#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

namespace nz {

// A regular file's bytes, mapped read-only for as long as this lives. The file must not be
// truncated meanwhile by someone else. Throws BadInput when the file is missing, unreadable, a
// directory, a pipe or a device; never waits for a pipe's other end.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const char> bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nz
