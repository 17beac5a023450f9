#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/budget.hpp"
#include "io/source.hpp"

namespace nz {

// Whether a file begins as zip files do.
bool is_zip(std::string_view head);

// The members of a zip file, by its directory: stored or deflated, with 64-bit sizes where there
// are any. Throws BadInput for what is broken, encrypted, or spread over several files.
class ZipFile {
 public:
  explicit ZipFile(const Source& file);  // must outlive it

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Of at most twenty members, for messages.
  std::string names() const;

  // The bytes of a member, which is there; deflated ones are unpacked, and held in the budget. They
  // are as many as the directory says, and have its checksum.
  std::unique_ptr<Source> open(std::string_view name, Budget& budget) const;

 private:
  struct Member {
    std::string name;
    std::uint32_t flags, method, checksum;
    std::uint64_t packed, unpacked, at;  // at: of its own header
  };
  const Member* find(std::string_view name) const;
  void read_directory(std::uint64_t at, std::uint64_t bytes, std::uint64_t members);

  const Source& file_;
  std::vector<Member> members_;
};

}  // namespace nz
