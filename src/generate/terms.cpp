#include <algorithm>

#include "generate/hash.hpp"
#include "generate/lengths.hpp"
#include "generate/permutation.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"
#include "generate/zipf.hpp"

namespace nz {
namespace {

// Documents by terms. A term's frequency falls as 1 / rank (Zipf); terms stand in the order of an
// alphabet, which has nothing to do with it. Half of a document's words are of its topic, which has
// ranks of its own.
struct Texts {
  index_t documents, terms;
  std::int64_t words, longest;

  explicit Texts(const Settings& all)
      : documents(whole_index(all, "documents")),
        terms(whole_index(all, "terms")),
        words(static_cast<std::int64_t>(real(all, "words") * documents)),
        longest(std::min<std::int64_t>(whole(all, "longest"), terms)) {}

  RankedLengths lengths() const {
    return RankedLengths(documents, words, std::min<std::int64_t>(1, longest), longest,
                         Shape::tail);
  }
};

GeneratedMatrix make_terms(const Settings& all) {
  const Texts texts(all);
  const RankedLengths lengths = texts.lengths();
  const auto topics = static_cast<std::uint64_t>(whole(all, "topics"));
  const Hash hash(seed_of(all)), draws = hash.at(0), values_of = hash.at(1), alphabets = hash.at(3);
  const Permutation ranks(static_cast<std::uint64_t>(texts.documents), hash.at(2));
  const auto terms = static_cast<std::uint64_t>(texts.terms);
  return from_cells(
      texts.documents, texts.terms, texts.documents,
      [&](std::int64_t document, auto&& emit) {
        const Hash draw = draws.at(document);
        // Alphabet 0 is that of all, the others that of a topic each.
        const Permutation of_all(terms, alphabets.at(0)),
            of_topic(terms, alphabets.at(1 + below(draw(0), topics)));
        const auto rank = ranks(static_cast<std::uint64_t>(document));
        const std::int64_t n = lengths[static_cast<std::int64_t>(rank)];
        for (std::int64_t t = 0; t < n; ++t) {
          const auto number = static_cast<std::uint64_t>(zipf(draw.at(1), t, texts.terms));
          const std::uint64_t term = t % 2 == 0 ? of_all(number) : of_topic(number);
          emit(static_cast<index_t>(document), static_cast<index_t>(term));
        }
      },
      // Counts: most are 1.
      [&](index_t i, index_t j) { return static_cast<double>(1 + zipf(values_of.at(i), j, 15)); });
}

MatrixSize size_terms(const Settings& all) {
  const Texts texts(all);
  return size_by_cells(texts.documents, texts.terms, static_cast<double>(texts.words), true);
}

}  // namespace

Family terms_family() {
  return {
      "terms",
      "documents by terms, as in retrieval and single cells: columns by Zipf's law, small counts",
      "own",
      "terms:documents=2000,terms=5000,words=40,longest=300",
      {{"documents", "number of rows", 20000, 1, max_index},
       {"terms", "number of columns", 10000, 1, max_index},
       {"words", "mean words of a document; those that meet are stored once", 60, 1, 1 << 20},
       {"longest", "words of the longest document", 600, 1, max_index},
       {"topics", "number of topics", 50, 1, max_index},
       seed_setting},
      make_terms,
      size_terms};
}

}  // namespace nz
