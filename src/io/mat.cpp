#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "io/decompress.hpp"
#include "io/numbers.hpp"
#include "io/other_files.hpp"
#include "io/stored.hpp"
#include "io/text.hpp"

namespace nz {
namespace {

// Types of elements, and classes of arrays.
constexpr std::uint32_t mi_int8 = 1, mi_int32 = 5, mi_uint32 = 6, mi_matrix = 14,
                        mi_compressed = 15;
constexpr std::uint32_t class_struct = 2, class_sparse = 5, class_opaque = 17;
constexpr std::uint32_t is_logical = 0x200, is_complex = 0x800;
constexpr std::uint64_t header_bytes = 128, longest_name = 256, most_variables = 10'000;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", name, what));
}

std::optional<NumberType> type_of(std::uint32_t mi) {
  switch (mi) {
    case 1:
      return NumberType::i1;
    case 2:
      return NumberType::u1;
    case 3:
      return NumberType::i2;
    case 4:
      return NumberType::u2;
    case 5:
      return NumberType::i4;
    case 6:
      return NumberType::u4;
    case 7:
      return NumberType::f4;
    case 9:
      return NumberType::f8;
    case 12:
      return NumberType::i8;
    case 13:
      return NumberType::u8;
    default:
      return std::nullopt;
  }
}

std::string_view class_name(std::uint32_t c) {
  constexpr std::string_view names[] = {"",       "cell",   "struct", "object", "char",    "sparse",
                                        "double", "single", "int8",   "uint8",  "int16",   "uint16",
                                        "int32",  "uint32", "int64",  "uint64", "function"};
  return c > 0 && c < std::size(names) ? names[c] : "object";
}

// A type, and the bytes it stands before.
struct Element {
  std::uint32_t type = 0;
  std::uint64_t at = 0, size = 0, next = 0;
};

// Bytes with elements one after another.
struct Elements {
  const Source* file = nullptr;
  bool swapped = false;
  std::uint64_t at = 0, end = 0;

  std::uint32_t word(std::uint64_t where) const {
    unsigned char b[4];
    file->read(where, reinterpret_cast<char*>(b), 4);
    if (swapped) std::reverse(b, b + 4);
    return b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
  }

  Element next() {
    if (end - at < 8) fail(file->name(), "an element of the MAT-file is cut off");
    Element e;
    const std::uint32_t first = word(at);
    if (first >> 16 != 0) {  // up to four bytes in the place of a length
      e = {first & 0xffff, at + 4, first >> 16, at + 8};
      if (e.size > 4) fail(file->name(), "an element of the MAT-file has an impossible length");
    } else {
      e = {first, at + 8, word(at + 4), 0};
      const std::uint64_t padded = first == mi_compressed ? e.size : (e.size + 7) / 8 * 8;
      if (e.size > end - e.at)
        fail(file->name(),
             fmt::format("an element of {} bytes, but {} follow", e.size, end - e.at));
      e.next = e.at + std::min(padded, end - e.at);
    }
    at = e.next;
    return e;
  }
  Element expect(std::uint32_t type, const char* what) {
    const Element e = next();
    if (e.type != type)
      fail(file->name(), fmt::format("{} should be here, not an element of type {}", what, e.type));
    return e;
  }
};

// What stands at the head of a matrix, and where the rest begins.
struct About {
  std::uint32_t flags = 0;
  std::vector<std::int64_t> dims{};
  std::string name{};

  std::uint32_t kind() const { return flags & 0xff; }
  std::string text() const {
    std::string shape;
    for (const std::int64_t n : dims) shape += fmt::format("{}{}", shape.empty() ? "" : " x ", n);
    return fmt::format("{}{}{}{}", shape, shape.empty() ? "" : " ",
                       (flags & is_complex) != 0 ? "complex " : "", class_name(kind()));
  }
};

About read_about(Elements& in) {
  About about;
  const Element flags = in.expect(mi_uint32, "flags");
  if (flags.size < 8) fail(in.file->name(), "flags of fewer than eight bytes");
  about.flags = in.word(flags.at);
  if (about.kind() >= class_opaque) return about;
  const Element dims = in.expect(mi_int32, "a shape");
  if (dims.size < 8 || dims.size > 4 * 32) fail(in.file->name(), "an impossible shape");
  for (std::uint64_t k = 0; k < dims.size / 4; ++k)
    about.dims.push_back(static_cast<std::int32_t>(in.word(dims.at + 4 * k)));
  const Element name = in.expect(mi_int8, "a name");
  if (name.size > longest_name) fail(in.file->name(), fmt::format("a name of {} bytes", name.size));
  about.name.resize(name.size);
  in.file->read(name.at, about.name.data(), name.size);
  return about;
}

// A variable, or a field of one, and where its elements are.
struct Variable {
  std::string name;
  About about;
  std::shared_ptr<const Source> bytes;  // unpacked; null: see `packed`
  Elements elements;                    // behind the tag
  Element packed;                       // a zlib stream
};

class MatFile {
 public:
  MatFile(const Source& file, Budget& budget) : file_(file), budget_(budget) {
    char head[header_bytes];
    const std::string_view text(head, sizeof(head));
    if (file.size() < sizeof(head)) fail(file.name(), "no MAT-file of level 5: it is too short");
    file.read(0, head, sizeof(head));
    const std::string_view order = text.substr(126, 2);
    if (order != "IM" && order != "MI")
      fail(file.name(), "no MAT-file of level 5 (save -v6, -v7); level 4 is not supported");
    swapped_ = order == "MI";
    const auto version = static_cast<unsigned char>(head[swapped_ ? 124 : 125]);
    if (version != 1) fail(file.name(), fmt::format("MAT-file version {} is not known", version));
    Elements in{&file, swapped_, header_bytes, file.size()};
    while (in.at < in.end) add(in.next());
  }

  const Variable& choose(std::string_view name) const {
    const Variable* found = nullptr;
    for (const Variable& v : variables_) {
      const bool fits = name.empty() ? v.about.kind() == class_sparse : v.name == name;
      if (!fits) continue;
      if (found != nullptr && name.empty())
        fail(file_.name(),
             fmt::format("which variable? Write {}:NAME for one of {}", file_.name(), listed()));
      found = &v;
      if (!name.empty()) break;
    }
    if (found == nullptr && name.empty())
      fail(file_.name(),
           fmt::format("no sparse matrix in it{}{}", variables_.empty() ? "" : ", but ",
                       variables_.empty() ? "" : listed()));
    if (found == nullptr)
      fail(file_.name(), fmt::format("no variable {} in it, but {}", nz::quoted(name), listed()));
    if (found->about.kind() != class_sparse)
      fail(file_.name(), fmt::format("{} is no sparse matrix, but a {}", nz::quoted(found->name),
                                     found->about.text()));
    return *found;
  }

  // The elements of a variable; `keeps` owns what had to be unpacked for them.
  Elements open(const Variable& v, std::shared_ptr<const Source>& keeps) const {
    if (v.elements.file != nullptr) return v.elements;
    keeps = unpack(v.packed);
    return inside(*keeps);
  }

 private:
  void add(const Element& e) {
    if (variables_.size() > most_variables) fail(file_.name(), "too many variables");
    if (e.type == mi_matrix) {
      add_matrix({&file_, swapped_, e.at, e.at + e.size}, nullptr);
    } else if (e.type == mi_compressed) {
      // The beginning is enough to know what it is.
      const PartSource part(file_.name(), file_, e.at, e.size);
      const auto stream = unpack_deflate(part, budget_, Wrapping::zlib);
      char head[8 + 16 + 8 + 4 * 32 + 8 + longest_name + 8];
      const std::size_t got = stream->read(head, sizeof(head));
      const MemorySource bytes(file_.name(), {head, got});
      Elements in{&bytes, swapped_, 0, got};
      if (got < 8 || in.word(0) != mi_matrix)
        fail(file_.name(), "a compressed element is no array");
      in.at = 8;
      About about = read_about(in);
      if (about.kind() == class_struct) {
        const std::shared_ptr<const Source> whole = unpack(e);
        add_matrix(inside(*whole), whole);
      } else {
        std::string name = about.name;
        variables_.push_back({std::move(name), std::move(about), nullptr, {}, e});
      }
    } else if (e.type == 0 && e.size == 0) {
      return;  // padding
    } else {
      fail(file_.name(), fmt::format("an element of type {} where a variable should be", e.type));
    }
  }

  void add_matrix(const Elements& elements, const std::shared_ptr<const Source>& bytes) {
    if (elements.at == elements.end) return;
    Elements in = elements;
    About about = read_about(in);
    std::string name = about.name;
    const bool one_struct = about.kind() == class_struct && about.dims.size() == 2 &&
                            about.dims[0] == 1 && about.dims[1] == 1;
    variables_.push_back({name, std::move(about), bytes, elements, {}});
    if (one_struct) add_fields(name, in, bytes);
  }

  // Fields of a structure are variables such as Problem.A.
  void add_fields(const std::string& name, Elements in,
                  const std::shared_ptr<const Source>& bytes) {
    const Element length = in.expect(mi_int32, "the length of names");
    if (length.size < 4) fail(in.file->name(), "no length of names");
    const std::uint32_t width = in.word(length.at);
    const Element names = in.expect(mi_int8, "names of fields");
    if (width == 0 || width > longest_name || names.size % width != 0 ||
        names.size / width > most_variables)
      fail(in.file->name(), "the names of fields are broken");
    for (std::uint64_t at = 0; at < names.size; at += width) {
      std::string field(width, '\0');
      in.file->read(names.at + at, field.data(), width);
      field = field.substr(0, field.find('\0'));
      const Element e = in.expect(mi_matrix, "a field");
      const Elements inner{in.file, in.swapped, e.at, e.at + e.size};
      if (e.size == 0) continue;
      Elements head = inner;
      variables_.push_back({fmt::format("{}.{}", name, field), read_about(head), bytes, inner, {}});
    }
  }

  std::shared_ptr<const Source> unpack(const Element& e) const {
    const PartSource part(file_.name(), file_, e.at, e.size);
    const auto stream = unpack_deflate(part, budget_, Wrapping::zlib);
    return std::make_shared<UnpackedSource>(*stream, part, budget_);
  }
  // Of the one matrix in unpacked bytes.
  Elements inside(const Source& bytes) const {
    Elements in{&bytes, swapped_, 0, bytes.size()};
    const Element e = in.expect(mi_matrix, "an array");
    return {&bytes, swapped_, e.at, e.at + e.size};
  }

  std::string listed() const {
    std::string all;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      if (k == 20) return all + fmt::format(" and {} more", variables_.size() - k);
      all += fmt::format("{}{} ({})", k == 0 ? "" : ", ", nz::quoted(variables_[k].name),
                         variables_[k].about.text());
    }
    return all.empty() ? "nothing" : all;
  }

  const Source& file_;
  Budget& budget_;
  bool swapped_ = false;
  std::vector<Variable> variables_;
};

Numbers numbers_in(const Elements& in, const Element& e, const char* what) {
  const auto type = type_of(e.type);
  if (!type)
    fail(in.file->name(), fmt::format("{} are an element of type {}, no numbers", what, e.type));
  return {*in.file, e.at, e.size / bytes_of(*type), *type, in.swapped};
}

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_mat(const Source& file, std::string_view variable, Budget& budget, Meter& meter,
                   FileInfo& info) {
  const MatFile mat(file, budget);
  const Variable& chosen = mat.choose(variable);
  std::shared_ptr<const Source> keeps;
  Elements in = mat.open(chosen, keeps);
  const About about = read_about(in);
  if ((about.flags & is_complex) != 0) fail(file.name(), "complex matrices are not supported");
  if (about.dims.size() != 2)
    fail(file.name(), fmt::format("a sparse matrix of {} dimensions", about.dims.size()));
  Numbers rows = numbers_in(in, in.next(), "row indices");
  const Numbers offsets = numbers_in(in, in.next(), "offsets of columns");
  Numbers values = numbers_in(in, in.next(), "values");
  // MATLAB keeps room behind the entries, in any of the two.
  const std::uint64_t room = std::min(rows.count, values.count);
  require_stored(budget, file.name(), about.dims[0], about.dims[1], room, sizeof(T));
  Stored<T> made;
  made.order = Stored<T>::Order::columns;
  made.rows = static_cast<index_t>(about.dims[0]);
  made.cols = static_cast<index_t>(about.dims[1]);
  if (offsets.count != static_cast<std::uint64_t>(made.cols) + 1)
    fail(file.name(), fmt::format("{} offsets, but the shape needs {}", offsets.count,
                                  std::int64_t{made.cols} + 1));
  made.offsets = whole_of(offsets);
  require_offsets(made.offsets, made.cols, room, file.name());
  rows.count = values.count = static_cast<std::uint64_t>(made.offsets.back());
  made.row = indices_of(rows, made.rows, "row");
  made.values = values_of<T>(values);
  meter.add(file.size());
  info.format = "MATLAB 5";
  info.field = (about.flags & is_logical) != 0 ? Field::integer : Field::real;
  info.stored_entries = made.offsets.back();
  return csr_of<T, O>(std::move(made), file.name());
}

PathOfVariable split_variable(const std::filesystem::path& path) {
  const std::string text = path.string();
  const auto at = text.rfind(".mat:");
  std::error_code error;
  if (at == text.npos || std::filesystem::exists(path, error)) return {path, ""};
  return {text.substr(0, at + 4), text.substr(at + 5)};
}

#define NZ_INSTANTIATE(T, O) \
  template Csr<T, O> read_mat<T, O>(const Source&, std::string_view, Budget&, Meter&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
