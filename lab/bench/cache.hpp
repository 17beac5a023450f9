#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <nonzero/generate.hpp>

namespace nz::lab {

// Generated matrices kept as .nzb files in a folder, so that the next run reads what this one made.
// Several programs may share the folder: a file appears whole or not at all, and one that is cut
// short or otherwise broken is made anew.
class MatrixCache {
 public:
  // "": no cache. The folder is made where there is none; throws BadInput when it cannot be.
  explicit MatrixCache(const std::filesystem::path& folder);

  // As nz::generate(). `said` becomes what the cache did, for people: "from the cache",
  // "into the cache", or why not; empty without a cache.
  Generated generate(std::string_view spec, std::string& said) const;

  // The file of a specification: however it is written, settings left out or not.
  std::filesystem::path file_of(std::string_view spec) const;

 private:
  std::filesystem::path folder_;
};

// The folder when nobody says: what $NONZERO_CACHE names, else none.
std::filesystem::path usual_cache();

}  // namespace nz::lab
