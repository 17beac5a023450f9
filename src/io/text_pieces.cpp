#include "io/text_pieces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nz {
namespace {

constexpr std::size_t npos = std::string_view::npos;

std::string_view view(const TextPieces::Piece& p) { return {p.room.data(), p.size}; }

void reserve(TextPieces::Piece& p, std::size_t bytes) {
  if (p.room.size() >= bytes + 1 + parse_slack) return;
  Array<char> larger(bytes + 1 + parse_slack);  // 1: a line end that the file may lack
  if (p.size > 0) std::memcpy(larger.data(), p.room.data(), p.size);
  p.room = std::move(larger);
}

void drop(TextPieces::Piece& p, std::size_t bytes) {
  if (bytes == 0) return;
  std::memmove(p.room.data(), p.room.data() + bytes, p.size - bytes);
  p.size -= bytes;
}

}  // namespace

TextPieces::TextPieces(std::string name, ByteStream& stream, std::size_t piece, std::size_t longest)
    : name_(std::move(name)),
      stream_(stream),
      piece_(std::clamp<std::size_t>(piece, 1, longest_line)),
      longest_(longest) {
  reserve(rest_, 0);
}

// Reads until there are `wanted` bytes; false when there is nothing left to read.
bool TextPieces::more(Piece& to, std::size_t wanted) {
  if (ended_ || to.size >= wanted) return !ended_;
  reserve(to, wanted);
  const std::size_t room = wanted - to.size, n = stream_.read(to.room.data() + to.size, room);
  to.size += n;
  ended_ = n < room;
  return true;
}

// The piece is one unfinished line, longer than it may be: leaves out what does not matter.
void TextPieces::shorten(Piece& line) const {
  const std::size_t word = view(line).find_first_not_of(" \t\r\v\f");
  drop(line, word == npos ? line.size : word);
  if (line.size > 0 && line.room[0] == '%') line.size = 1;
  if (line.size > longest_) throw LongLine{};
}

std::string_view TextPieces::start(std::size_t n) {
  more(rest_, n);
  return view(rest_).substr(0, n);
}

std::optional<std::string_view> TextPieces::line() {
  std::size_t end;
  std::size_t step = 4096;
  while ((end = view(rest_).find('\n', at_)) == npos) {
    drop(rest_, std::exchange(at_, 0));
    if (rest_.size > longest_) shorten(rest_);
    if (!more(rest_, rest_.size + step)) {
      if (rest_.size == 0) return std::nullopt;
      end = at_ = rest_.size;
      return view(rest_);
    }
    step = std::min(2 * step, longest_);
  }
  const auto found = view(rest_).substr(at_, end - at_);
  at_ = end + 1;
  return found;
}

bool TextPieces::next(Piece& piece) {
  drop(rest_, std::exchange(at_, 0));
  piece.size = 0;
  reserve(piece, std::max(piece_, rest_.size));
  std::memcpy(piece.room.data(), rest_.room.data(), rest_.size);
  piece.size = std::exchange(rest_.size, 0);
  more(piece, piece_);
  std::size_t last;
  while ((last = view(piece).rfind('\n')) == npos) {
    if (piece.size > longest_) shorten(piece);
    if (more(piece, std::min(2 * piece.size + 64, longest_ + 1))) continue;
    if (piece.size == 0) return false;
    last = piece.size;
    piece.room[piece.size++] = '\n';
  }
  const std::size_t keep = last + 1;
  if (ended_ && keep < piece.size) {
    // The last line of all, without an end.
    reserve(piece, piece.size);
    piece.room[piece.size++] = '\n';
  } else if (keep < piece.size) {
    reserve(rest_, piece.size - keep);
    rest_.size = piece.size - keep;
    std::memcpy(rest_.room.data(), piece.room.data() + keep, rest_.size);
    piece.size = keep;
  }
  // Whatever looks beyond the last line sees line ends.
  std::fill_n(piece.room.data() + piece.size, parse_slack, '\n');
  return true;
}

}  // namespace nz
