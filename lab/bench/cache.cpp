#include "lab/bench/cache.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "generate/spec.hpp"

namespace nz::lab {
namespace {

constexpr std::string_view like = "like:";

// To be raised when a family makes another matrix of the same settings.
constexpr int generators = 1;

const NamedMatrix* named(std::string_view spec) {
  if (!spec.starts_with(like)) return nullptr;
  for (const NamedMatrix& m : named_matrices())
    if (m.name == spec.substr(like.size())) return &m;
  return nullptr;
}

// All that decides what is made; a stand-in is the same as its specification.
std::string key_of(std::string_view spec) {
  const NamedMatrix* m = named(spec);
  return fmt::format("{} {}", generators, to_string(parse_spec(m ? m->spec : spec)));
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

std::optional<GeneratedMatrix> read(const std::filesystem::path& file, std::string& said) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  try {
    auto a = read_matrix<double, std::int64_t>(file);
    said = "from the cache";
    return a;
  } catch (const BadInput&) {
    said = "into the cache, where a broken file was";
  }
  return {};
}

}  // namespace

std::filesystem::path usual_cache() {
  const char* folder = std::getenv("NONZERO_CACHE");
  return folder ? folder : "";
}

MatrixCache::MatrixCache(const std::filesystem::path& folder) : folder_(folder) {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error || !std::filesystem::is_directory(folder_))
    throw BadInput(fmt::format("{}: cannot keep matrices here: {}", folder_.string(),
                               error ? error.message() : "not a folder"));
}

std::filesystem::path MatrixCache::file_of(std::string_view spec) const {
  const std::string key = key_of(spec);
  const auto space = key.find(' ') + 1;
  return folder_ /
         fmt::format("{}-{:016x}.nzb", key.substr(space, key.find(':') - space), hash_of(key));
}

Generated MatrixCache::generate(std::string_view spec, std::string& said) const {
  said.clear();
  if (folder_.empty()) return nz::generate(spec);
  check_spec(spec);
  const auto file = file_of(spec);
  if (auto a = read(file, said)) {
    const NamedMatrix* m = named(spec);
    if (!m) {
      const Spec parsed = parse_spec(spec);
      return {std::move(*a), to_string(parsed), false, std::string(parsed.family->summary)};
    }
    return {std::move(*a), fmt::format("{}{}{}", like, m->name, m->exact ? "" : " (stand-in)"),
            !m->exact, std::string(m->note)};
  }
  Generated made = nz::generate(spec);
  if (said.empty()) said = "into the cache";
  try {
    write_matrix(file, made.matrix.view());
  } catch (const Error& e) {
    said = fmt::format("not into the cache: {}", e.what());
  }
  return made;
}

}  // namespace nz::lab
