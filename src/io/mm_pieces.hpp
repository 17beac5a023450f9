#pragma once
#include <functional>
#include <memory>

#include "io/mm_header.hpp"
#include "io/mm_parse.hpp"
#include "io/progress.hpp"

namespace nz {

// A Matrix Market text: where it comes from, what it may cost, its header, and the lines below it,
// which are read as they are asked for.
struct MmText {
  MmText(const Source& from, const Budget& may_take, Packing how, std::size_t piece_bytes,
         const Member& part = {});

  const Source& file;
  const Budget& budget;
  Packing packing;
  std::size_t piece;
  Member member;     // of a tar file
  std::string name;  // in messages
  std::unique_ptr<ByteStream> stream;
  TextPieces pieces;
  MmHeader header;
  bool allow_nan = false;  // words such as nan and inf are values
};

// Parses piece number p and counts its lines, also those before a ParseError.
using PieceParser = std::function<void(std::size_t p, const TextPieces::Piece&, LineCounts& count)>;

// Parses all pieces in parallel, each thread with a parser of its own that gets its pieces in the
// order of the file. Throws BadInput for the first broken line of the file, whichever thread came
// upon it, when there are more or fewer entries than the header says, and when the entries, which
// take `entry_bytes` each, are beyond the budget.
void parse_pieces(MmText& text, Meter& meter, std::uint64_t entry_bytes,
                  const std::function<PieceParser()>& make_parser);

}  // namespace nz
