#include "cli/vector_file.hpp"

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
  Array<T> v = read_vector<T>(path);
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
