#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/unfinished.hpp"

namespace nz {

// A file that appears under its name whole or not at all: written beside it, flushed to the disk
// and renamed by commit(), removed otherwise, by remove_unfinished_files() where a signal ends the
// program. What is not a regular file (a pipe, a terminal) is written to directly. All that the
// project writes goes this way. Throws Error with the path when the system refuses.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  // What is open already, such as stdout: written to directly, and left open.
  OutputFile(int descriptor, const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Asks the disk for so many bytes in all; what it cannot tell shows when they are written.
  void reserve(std::uint64_t bytes);
  void write(std::string_view bytes);
  void commit();
  // Whether writing failed because nobody reads the pipe any more.
  bool reader_has_gone() const { return reader_has_gone_; }

 private:
  [[noreturn]] void fail(int code);
  void close();
  void discard();

  std::filesystem::path name_;    // as the caller calls it
  std::filesystem::path target_;  // behind any symbolic links
  std::string temporary_;         // empty when writing directly
  Unfinished unfinished_;         // the same for signal handlers
  int fd_ = -1;
  bool reader_has_gone_ = false;
};

// The whole file in one go.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Throws what writing would when no file can be put there; leaves what is there as it is.
void require_writable(const std::filesystem::path& path);
// The same for a file of so many bytes, where the disk can tell: no room is known before the work.
void require_room(const std::filesystem::path& path, std::uint64_t bytes);

}  // namespace nz
