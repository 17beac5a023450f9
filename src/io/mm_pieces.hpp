#pragma once
#include <functional>
#include <string>
#include <vector>

#include "io/mm_header.hpp"
#include "io/mm_parse.hpp"
#include "io/progress.hpp"

namespace nz {

// The lines below the header, cut at line ends into pieces of about `piece` bytes. The last lines
// are copied, so that they too end with '\n' and have readable bytes behind them.
class MmPieces {
 public:
  MmPieces(const NamedText& text, std::size_t body, std::size_t piece);
  MmPieces(const MmPieces&) = delete;
  MmPieces& operator=(const MmPieces&) = delete;

  struct Piece {
    const char* begin;
    const char* end;
    std::size_t offset;  // of begin in the text
  };
  std::size_t size() const { return pieces_.size(); }
  const Piece& operator[](std::size_t p) const { return pieces_[p]; }
  // No piece has more lines than this.
  std::size_t most_lines(std::size_t p) const;

 private:
  std::vector<Piece> pieces_;
  std::string tail_;
};

// Parses one piece and counts its entries, also those before a ParseError.
using PieceParser = std::function<void(std::size_t p, const MmPieces::Piece&, std::size_t& count)>;

// Parses all pieces in parallel, each thread with a parser of its own. Throws BadInput for the
// first broken line of the file, whichever thread came upon it, and when there are more or fewer
// entries than the header says.
void parse_pieces(const NamedText& text, const MmHeader& header, const MmPieces& pieces,
                  Meter& meter, const std::function<PieceParser()>& make_parser);

}  // namespace nz
