#include "io/mm_pieces.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/parallel.hpp"

namespace nz {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

// Where the last lines begin: behind the last line end that has parse_slack bytes after it.
std::size_t tail_of(std::span<const char> bytes, std::size_t body) {
  if (bytes.size() < body + parse_slack) return body;
  for (std::size_t at = bytes.size() - parse_slack; at > body; --at)
    if (bytes[at - 1] == '\n') return at;
  return body;
}

// More lines than announced, or fewer, or one that cannot be read: the first in the file counts.
struct Failure {
  std::size_t offset;
  std::string message;
};

}  // namespace

MmPieces::MmPieces(const NamedText& text, std::size_t body, std::size_t piece) {
  const auto bytes = text.bytes;
  const std::size_t tail = tail_of(bytes, body);
  for (std::size_t begin = body; begin < tail;) {
    std::size_t end = tail;
    if (tail - begin > piece) {
      const char* from = bytes.data() + begin + piece - 1;
      const auto* stop = static_cast<const char*>(
          std::memchr(from, '\n', static_cast<std::size_t>(bytes.data() + tail - from)));
      end = static_cast<std::size_t>(stop - bytes.data()) + 1;
    }
    pieces_.push_back({bytes.data() + begin, bytes.data() + end, begin});
    begin = end;
  }
  if (tail == bytes.size()) return;
  tail_.reserve(bytes.size() - tail + 1 + parse_slack);
  tail_.assign(bytes.data() + tail, bytes.size() - tail);
  if (tail_.back() != '\n') tail_ += '\n';
  const std::size_t length = tail_.size();
  tail_.append(parse_slack, '\n');
  pieces_.push_back({tail_.data(), tail_.data() + length, tail});
}

std::size_t MmPieces::most_lines(std::size_t p) const {
  // An entry has at least one character and a line end.
  const auto bytes = static_cast<std::size_t>(pieces_[p].end - pieces_[p].begin);
  constexpr std::size_t usual = std::size_t{1} << 22;
  if (bytes <= usual) return bytes / 2 + 1;
  return static_cast<std::size_t>(std::count(pieces_[p].begin, pieces_[p].end, '\n'));
}

void parse_pieces(const NamedText& text, const MmHeader& header, const MmPieces& pieces,
                  Meter& meter, const std::function<PieceParser()>& make_parser) {
  std::vector<std::size_t> counts(pieces.size(), 0);
  std::vector<std::optional<Failure>> failures(pieces.size());
  std::atomic<std::size_t> next{0}, first_bad{none};

  parallel(pieces.size() < 2 ? 1 : threads(), [&](int, int) {
    const PieceParser parse = make_parser();
    for (std::size_t p; (p = next++) < pieces.size();) {
      // What lies behind a broken line no longer matters; what lies before it must be read.
      if (p > first_bad) break;
      const auto& piece = pieces[p];
      try {
        parse(p, piece, counts[p]);
        meter.add(static_cast<std::uint64_t>(piece.end - piece.begin));
      } catch (const ParseError& error) {
        failures[p] =
            Failure{piece.offset + static_cast<std::size_t>(error.at - piece.begin), error.message};
        std::size_t seen = first_bad;
        while (p < seen && !first_bad.compare_exchange_weak(seen, p)) {
        }
      } catch (...) {
        first_bad = 0;
        throw;
      }
    }
  });

  const char* const what = header.coordinate ? "entries" : "values";
  auto left = static_cast<std::uint64_t>(header.entries);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (counts[p] > left) {
      const auto& piece = pieces[p];
      const char* at = entry_line(piece.begin, piece.end, left);
      fail_at(text, piece.offset + static_cast<std::size_t>(at - piece.begin),
              fmt::format("more than the {} {} announced", header.entries, what));
    }
    if (failures[p]) fail_at(text, failures[p]->offset, failures[p]->message);
    left -= counts[p];
  }
  if (left != 0)
    fail_at(text, text.bytes.size() - 1,
            fmt::format("the file ends after {} of {} {}",
                        static_cast<std::uint64_t>(header.entries) - left, header.entries, what));
}

}  // namespace nz
