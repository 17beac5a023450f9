#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nonzero/array.hpp>

#include "io/stream.hpp"
#include "io/text.hpp"

namespace nz {

// Behind the last line of a piece, so many more bytes can be read.
constexpr std::size_t parse_slack = 32;

// A line that is no comment and longer than this is refused: no number needs it, and it would have
// to be kept as a whole.
constexpr std::size_t longest_line = std::size_t{4} << 20;

// Thrown for a line longer than that; the reader knows its number.
struct LongLine {
  static constexpr const char* message = "the line is longer than 4 MiB";
};

// The text of a stream: a few single lines first, then whole lines in pieces. Holds a piece and a
// line at most, however long comments and blank lines are: what of them does not matter is dropped.
class TextPieces {
 public:
  // Pieces of about `piece` bytes, at most longest_line. Single lines may have `longest` bytes.
  TextPieces(std::string name, ByteStream& stream, std::size_t piece,
             std::size_t longest = longest_line);

  const std::string& name() const { return name_; }

  // The next n bytes, or all there are, without going on.
  std::string_view start(std::size_t n);
  // The next line without its end, valid until the next call; nothing behind the last one.
  std::optional<std::string_view> line();

  // The next lines, the last of them with its end, also where the file has none there.
  struct Piece {
    Array<char> room;
    std::size_t size = 0;
    const char* begin() const { return room.data(); }
    const char* end() const { return room.data() + size; }
  };
  // False behind the last one.
  bool next(Piece& piece);

 private:
  bool more(Piece& to, std::size_t wanted);
  void shorten(Piece& line) const;

  std::string name_;
  ByteStream& stream_;
  std::size_t piece_, longest_;
  Piece rest_{};        // read, but not handed out
  std::size_t at_ = 0;  // in rest_, while single lines are read
  bool ended_ = false;
};

}  // namespace nz
