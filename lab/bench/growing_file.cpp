#include "lab/bench/growing_file.hpp"

#include <utility>

#include "io/output_file.hpp"

namespace nz::lab {

namespace fs = std::filesystem;

GrowingFile::GrowingFile(fs::path file, bool resume) : file_(std::move(file)), grows_(file_) {
  if (file_.empty()) return;
  std::error_code unknown;
  const bool there = fs::exists(file_, unknown);
  direct_ = there && fs::is_other(file_, unknown);
  if (direct_) {
    grows_.clear();  // it gets all of it at the end
    return;
  }
  part_ = file_;
  part_ += ".part";
  if (!resume) {
    if (there) grows_ = part_;
  } else if (fs::exists(part_, unknown)) {
    before_ = grows_ = part_;
  } else if (there) {
    before_ = file_;
  }
  require_writable(file_);
}

void GrowingFile::write(std::string_view text) {
  if (file_.empty() || direct_) return;
  write_file(grows_, text);
  // A part of an earlier run that nobody goes on with is not to be taken for one of this run.
  std::error_code ignored;
  if (grows_ != part_) fs::remove(part_, ignored);
}

void GrowingFile::finish(std::string_view text) {
  if (file_.empty()) return;
  write_file(file_, text);
  std::error_code ignored;
  if (!direct_) fs::remove(part_, ignored);
}

}  // namespace nz::lab
