#include "cli/vector_file.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "cli/stdout_data.hpp"
#include "io/npy.hpp"
#include "io/read_bytes.hpp"
#include "lab/bench/pipe.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {

namespace {

// A file, or all of a pipe.
struct Opened {
  std::vector<char> bytes;
  std::unique_ptr<nz::Source> source;
  std::uint64_t limit = 0;  // of what a vector of the length may take

  Opened(const std::string& path, index_t length, const char* which) {
    if (lab::is_pipe(path)) {
      bytes = lab::all_of_pipe(path, 0);
      source = std::make_unique<MemorySource>(lab::pipe_name(path), bytes);
    } else {
      if (std::error_code error; !std::filesystem::exists(path, error))
        throw BadInput(fmt::format("{}: no such file (for --{})", path, which));
      source = std::make_unique<FileSource>(path);
    }
    // One of that length is welcome however well it is compressed.
    limit = (std::uint64_t{64} << 20) +
            std::max<std::uint64_t>(256 * source->size(), 64 * static_cast<std::uint64_t>(length));
  }
};

// Whether it is a file of several vectors. Broken ones are read, and say what is wrong, as one.
bool has_several(const nz::Source& file) {
  char head[8];
  if (file.size() < sizeof(head)) return false;
  file.read(0, head, sizeof(head));
  return is_npy(head) && has_several_vectors(file);
}

template <Value T>
Array<T> read_numbers(const Opened& file) {
  try {
    return read_vector_source<T>(*file.source, {.memory_limit = file.limit});
  } catch (const BadInput& e) {  // such as numbers alone
    if (std::string_view(e.what()).find("not a Matrix Market file") == std::string_view::npos)
      throw;
    throw BadInput(fmt::format(
        "{}; a vector is a Matrix Market array or a .npy file, as numpy.save() writes it",
        e.what()));
  }
}

template <Value T>
Array<T> one_of_length(const Opened& file, index_t length, const char* which) {
  Array<T> v = read_numbers<T>(file);
  if (v.size() != static_cast<std::size_t>(length))
    throw BadInput(
        fmt::format("{}: has {}, {} needs {}", file.source->name(),
                    lab::plural(static_cast<std::int64_t>(v.size()), "element", "elements"), which,
                    lab::count_text(length)));
  return v;
}

}  // namespace

template <Value T>
Array<T> vector_of_length(const std::string& path, index_t length, const char* which) {
  const Opened opened(path, length, which);
  if (has_several(*opened.source))
    throw BadInput(
        fmt::format("{}: has several vectors, {} must be one", opened.source->name(), which));
  return one_of_length<T>(opened, length, which);
}

template <Value T>
Vectors<T> vectors_of_length(const std::string& path, index_t length, const char* which) {
  const Opened opened(path, length, which);
  const nz::Source& file = *opened.source;
  if (!has_several(file))
    return {.values = one_of_length<T>(opened, length, which), .rows = length};
  NpyVectors<T> read = read_npy_vectors<T>(file, Budget(file.size()));
  constexpr std::size_t most = std::numeric_limits<index_t>::max();
  if (read.rows != static_cast<std::size_t>(length) || read.columns > most)
    throw BadInput(fmt::format("{}: has {} x {} elements, {} needs {} rows", file.name(), read.rows,
                               read.columns, which, lab::count_text(length)));
  return {std::move(read.values), length, static_cast<index_t>(read.columns), read.layout};
}

template <Value T>
void put_vector(const std::string& path, std::span<const T> v) {
  return is_stdout(path) ? write_stdout_vector(v) : write_vector(path, v);
}

void require_place_for_several(const std::string& path, index_t columns) {
  if (columns > 1 && !path.empty() && !path.ends_with(".npy"))
    throw InvalidArgument(fmt::format("{}: several vectors are written as .npy{}", path,
                                      is_stdout(path) ? ", to a file" : ""));
}

template <Value T>
void write_vectors(const std::string& path, const Vectors<T>& v) {
  if (v.columns == 1) return put_vector<T>(path, {v.values.data(), v.values.size()});
  OutputFile file(path);
  write_npy(file, v.view());
  file.commit();
}

template Vectors<float> vectors_of_length(const std::string&, index_t, const char*);
template Vectors<double> vectors_of_length(const std::string&, index_t, const char*);
template void put_vector(const std::string&, std::span<const float>);
template void put_vector(const std::string&, std::span<const double>);
template void put_vector(const std::string&, std::span<const std::complex<float>>);
template void put_vector(const std::string&, std::span<const std::complex<double>>);
template void write_vectors(const std::string&, const Vectors<float>&);
template void write_vectors(const std::string&, const Vectors<double>&);
template Array<float> vector_of_length(const std::string&, index_t, const char*);
template Array<double> vector_of_length(const std::string&, index_t, const char*);
template Array<std::complex<float>> vector_of_length(const std::string&, index_t, const char*);
template Array<std::complex<double>> vector_of_length(const std::string&, index_t, const char*);

}  // namespace nz::cli
