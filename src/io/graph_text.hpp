#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nonzero/io.hpp>

#include "io/stream.hpp"
#include "io/text_pieces.hpp"

namespace nz {

// A text of lines that are words, with comments between them: what files of graphs have in common.
class GraphText {
 public:
  // Lines that begin with one of `comments` are skipped. Lines may have `longest` bytes. The file
  // must outlive it.
  GraphText(const Source& file, const ReadOptions& options, std::string_view comments,
            std::size_t longest = longest_line);

  // The next line that is no comment, blank ones too; nothing behind the last one.
  std::optional<std::string_view> line();
  // The next word of that line, between spaces, tabs and commas; empty where there is none.
  std::string_view word();

  // Words as numbers; `what` is what they are in messages. Throw BadText with file and line.
  std::uint64_t whole(std::string_view word, const char* what) const;
  double real(std::string_view word, const char* what) const;
  [[noreturn]] void fail(const std::string& message) const;

  // Throws where the matrix would take more memory than the file is granted.
  void require(std::uint64_t rows, std::uint64_t entries) const;

 private:
  const Source& file_;
  const Progress& progress_;
  bool allow_nan_;
  Budget budget_;
  std::string comments_;
  std::unique_ptr<ByteStream> stream_;
  TextPieces pieces_;
  std::string_view rest_;
  std::size_t longest_;
  std::uint64_t number_ = 0;  // of the line
};

}  // namespace nz
