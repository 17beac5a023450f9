#include "io/mm_pieces.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/parallel.hpp"

namespace nz {
namespace {

// A line of a piece, counted from 1, that cannot be read.
struct Failure {
  std::uint64_t line;
  std::string message;
};

struct Outcome {
  LineCounts count;
  std::optional<Failure> failure;
};

int threads_for(const MmText& text) {
  // Compressed text is about eight times as long.
  const std::uint64_t bytes = text.file.size() * (text.packing == Packing::none ? 1 : 8);
  return bytes <= text.piece ? 1 : threads();
}

// The line of the first entry that is too many. Its text is gone, so it is read again.
std::uint64_t line_of_entry(const MmText& text, std::uint64_t n) {
  MmText again(text.file, text.budget, text.packing, text.piece, text.member);
  LineCounts count;
  for (TextPieces::Piece piece; again.pieces.next(piece);)
    if (count_to_entry(piece.begin(), piece.end(), n, count)) break;
  return again.header.lines + count.lines;
}

// Hands out the pieces and keeps what became of them, in the order of the file.
class Progressing {
 public:
  Progressing(MmText& text, Meter& meter, std::uint64_t entry_bytes)
      : text_(text),
        meter_(meter),
        entry_bytes_(entry_bytes),
        shape_bytes_(Budget::shape_bytes(static_cast<std::uint64_t>(text.header.rows),
                                         static_cast<std::uint64_t>(text.header.cols))) {}

  void work(const PieceParser& parse) {
    TextPieces::Piece piece;
    std::size_t p;
    std::uint64_t taken;
    while (Outcome* out = next(piece, p, taken)) try {
        parse(p, piece, out->count);
        meter_.add(taken);
        count(out->count.entries);
      } catch (const ParseError& error) {
        // The pieces before it are with other threads, which go through with them.
        const auto line = 1 + std::count(piece.begin(), error.at, '\n');
        out->failure = Failure{static_cast<std::uint64_t>(line), error.message};
        stop_ = true;
      } catch (...) {
        stop_ = true;
        throw;
      }
  }

  void finish() const {
    const char* const what = text_.header.coordinate ? "entries" : "values";
    const auto announced = static_cast<std::uint64_t>(text_.header.entries);
    std::uint64_t lines = text_.header.lines, entries = 0;
    for (const Outcome& out : outcomes_) {
      if (out.count.entries > announced - entries)
        fail_line(text_.name, line_of_entry(text_, announced),
                  fmt::format("more than the {} {} announced", announced, what));
      if (out.failure) fail_line(text_.name, lines + out.failure->line, out.failure->message);
      lines += out.count.lines;
      entries += out.count.entries;
    }
    if (entries != announced)
      fail_line(text_.name, lines,
                fmt::format("the file ends after {} of {} {}", entries, announced, what));
  }

 private:
  // Null behind the last one, and when there is no point in going on.
  Outcome* next(TextPieces::Piece& piece, std::size_t& p, std::uint64_t& taken) {
    std::lock_guard lock(guard_);
    if (stop_) return nullptr;
    try {
      const std::uint64_t before = text_.stream->taken();
      if (!text_.pieces.next(piece)) return nullptr;
      taken = text_.stream->taken() - before;
    } catch (const LongLine&) {
      stop_ = true;
      outcomes_.push_back({{}, Failure{1, LongLine::message}});
      return nullptr;
    } catch (...) {
      stop_ = true;
      throw;
    }
    p = outcomes_.size();
    return &outcomes_.emplace_back();
  }

  void count(std::uint64_t entries) {
    const std::uint64_t all = entries_ += entries;
    if (all > static_cast<std::uint64_t>(text_.header.entries)) stop_ = true;
    text_.budget.require(shape_bytes_ + times(all, entry_bytes_), text_.name,
                         fmt::format("a matrix of {} entries or more", all));
  }

  MmText& text_;
  Meter& meter_;
  std::uint64_t entry_bytes_, shape_bytes_;
  std::mutex guard_;
  std::deque<Outcome> outcomes_;
  std::atomic<std::uint64_t> entries_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace

MmText::MmText(const Source& from, const Budget& may_take, Packing how, std::size_t piece_bytes,
               const Member& part)
    : file(from),
      budget(may_take),
      packing(how),
      piece(piece_bytes),
      member(part),
      name(part.name.empty() ? from.name() : fmt::format("{}: {}", from.name(), part.name)),
      stream(open_stream(from, may_take, how, part)),
      pieces(name, *stream, piece_bytes),
      header(read_mm_header(pieces, may_take)) {}

void parse_pieces(MmText& text, Meter& meter, std::uint64_t entry_bytes,
                  const std::function<PieceParser()>& make_parser) {
  // Who sets a limit wants to know at once; otherwise the header's count is not believed.
  const auto announced = static_cast<std::uint64_t>(text.header.entries);
  if (text.budget.limited())
    text.budget.require(Budget::shape_bytes(static_cast<std::uint64_t>(text.header.rows),
                                            static_cast<std::uint64_t>(text.header.cols)) +
                            times(announced, entry_bytes),
                        text.name, fmt::format("a matrix of {} entries", announced));
  Progressing progress(text, meter, entry_bytes);
  parallel(threads_for(text), [&](int, int) { progress.work(make_parser()); });
  progress.finish();
}

}  // namespace nz
