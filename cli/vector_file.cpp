#include "cli/vector_file.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "lab/report/text.hpp"

namespace nz::cli {

template <Value T>
Array<T> vector_of_length(const std::string& path, index_t length, const char* which) {
  if (std::error_code error; !std::filesystem::exists(path, error))
    throw BadInput(fmt::format("{}: no such file (for --{})", path, which));
  // One of that length is welcome however well it is compressed.
  std::error_code unknown;
  const std::uint64_t bytes = std::filesystem::file_size(path, unknown);
  const auto most =
      std::max<std::uint64_t>(256 * (unknown ? 0 : bytes), 64 * static_cast<std::uint64_t>(length));
  Array<T> v = read_vector<T>(path, {.memory_limit = (std::uint64_t{64} << 20) + most});
  if (v.size() != static_cast<std::size_t>(length))
    throw BadInput(
        fmt::format("{}: has {}, {} needs {}", path,
                    lab::plural(static_cast<std::int64_t>(v.size()), "element", "elements"), which,
                    lab::count_text(length)));
  return v;
}

template Array<float> vector_of_length(const std::string&, index_t, const char*);
template Array<double> vector_of_length(const std::string&, index_t, const char*);

}  // namespace nz::cli
