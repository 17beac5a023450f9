#include "cli/stdout_data.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "cli/terminal.hpp"
#include "io/mm_write.hpp"

namespace nz::cli {
namespace {

template <class Write>
void write_with(Write&& write) {
  OutputFile out(STDOUT_FILENO, "stdout");
  try {
    write(out);
    out.commit();
  } catch (const InvalidArgument& e) {  // names an entry
    throw InvalidArgument(fmt::format("stdout: {}", e.what()));
  } catch (const Error&) {
    if (out.reader_has_gone()) throw BrokenPipe{};
    throw;
  }
}

}  // namespace

void put_text(const std::string& path, std::string_view text) {
  return is_stdout(path) ? write_stdout(text) : write_file(path, text);
}

template <Value T>
void write_stdout_vector(std::span<const T> v) {
  write_with([&](OutputFile& out) { write_mm_vector<T>(out, v, Packing::none); });
}

void write_stdout_matrix(const CsrView<double, std::int64_t>& a, std::string_view comment) {
  Meter unseen(nullptr, a.bytes());
  write_with([&](OutputFile& out) { write_mm(out, a, comment, Packing::none, unseen); });
}

template void write_stdout_vector(std::span<const float>);
template void write_stdout_vector(std::span<const double>);
template void write_stdout_vector(std::span<const std::complex<float>>);
template void write_stdout_vector(std::span<const std::complex<double>>);

}  // namespace nz::cli
