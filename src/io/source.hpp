#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace nz {

// Bytes to read by position, from several threads at once, and what to call them in messages. What
// is read is the reader's own copy: nothing that happens to the file afterwards can change it.
class Source {
 public:
  virtual ~Source() = default;
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }

  // All n bytes from `at`, which lie within size(). Throws BadInput when they are no longer there.
  virtual void read(std::uint64_t at, char* to, std::size_t n) const = 0;

 protected:
  explicit Source(std::string name, std::uint64_t size = 0) : name_(std::move(name)), size_(size) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::string name_;
  std::uint64_t size_;
};

// A regular file, as long as it was when it was opened. Throws BadInput when the file is missing,
// unreadable, a directory, a pipe or a device; never waits for a pipe's other end.
class FileSource final : public Source {
 public:
  explicit FileSource(const std::filesystem::path& path);
  ~FileSource() override;
  void read(std::uint64_t at, char* to, std::size_t n) const override;

 private:
  int fd_ = -1;
};

// Bytes that are in memory already and stay there.
class MemorySource final : public Source {
 public:
  MemorySource(std::string name, std::span<const char> bytes)
      : Source(std::move(name), bytes.size()), bytes_(bytes) {}
  void read(std::uint64_t at, char* to, std::size_t n) const override;

 private:
  std::span<const char> bytes_;
};

// Some bytes of another one, which must outlive it. They lie within it.
class PartSource final : public Source {
 public:
  PartSource(std::string name, const Source& whole, std::uint64_t at, std::uint64_t size)
      : Source(std::move(name), size), whole_(whole), at_(at) {}
  void read(std::uint64_t at, char* to, std::size_t n) const override {
    whole_.read(at_ + at, to, n);
  }

 private:
  const Source& whole_;
  std::uint64_t at_;
};

}  // namespace nz
