#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace nz {

// A file that appears under its name whole or not at all: written beside it, renamed by commit(),
// removed otherwise. What is not a regular file (a pipe, a terminal) is written to directly.
// Throws Error with the path when the system refuses.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(int code) const;
  void close();

  std::filesystem::path name_;    // as the caller calls it
  std::filesystem::path target_;  // behind any symbolic links
  std::string temporary_;         // empty when writing directly
  int fd_ = -1;
};

}  // namespace nz
