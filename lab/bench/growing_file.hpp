#pragma once
#include <filesystem>
#include <string_view>

namespace nz::lab {

// A record that is written again and again while it grows. Under a name that is free, it stands
// there from the start, whole at any moment. A file that is there already stays as it is until
// finish(); meanwhile the new one grows beside it, as NAME.part, which also stays when the run is
// cut short.
class GrowingFile {
 public:
  // `resume`: what is there, the part before the file itself, is to be gone on with. "": nothing is
  // written.
  explicit GrowingFile(std::filesystem::path file, bool resume = false);

  // What to go on with; empty when there is nothing.
  const std::filesystem::path& before() const { return before_; }
  // Where it grows.
  const std::filesystem::path& grows() const { return grows_; }

  // All there is so far. Throws Error when it cannot be written.
  void write(std::string_view text);
  // The same for the last time.
  void finish(std::string_view text);

 private:
  std::filesystem::path file_, part_, grows_, before_;
  bool direct_ = false;  // into a pipe or a device: once, at the end
};

}  // namespace nz::lab
