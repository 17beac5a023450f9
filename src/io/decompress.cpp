#include "io/decompress.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

constexpr std::size_t step = 1 << 20;  // input is fed in pieces, so that progress can be told

[[noreturn]] void fail(const NamedText& packed, std::string_view what) {
  throw BadInput(fmt::format("{}: {}", packed.name, what));
}

// The output: doubles when full, never passes the limit.
class Sink {
 public:
  explicit Sink(const NamedText& packed)
      : packed_(packed), limit_(unpacked_limit(packed.bytes.size())) {
    out_.resize(std::min<std::uint64_t>(limit_, 4 * packed.bytes.size() + 4096));
  }
  std::span<char> room() {
    if (used_ == out_.size()) {
      if (used_ == limit_)
        fail(packed_, fmt::format("decompresses to more than {} bytes, too much for {} compressed "
                                  "ones",
                                  limit_, packed_.bytes.size()));
      out_.resize(std::min<std::uint64_t>(limit_, 2 * out_.size()));
    }
    return {out_.data() + used_, out_.size() - used_};
  }
  void used(std::size_t n) { used_ += n; }
  std::vector<char> take() {
    out_.resize(used_);
    return std::move(out_);
  }

 private:
  const NamedText& packed_;
  std::uint64_t limit_;
  std::vector<char> out_;
  std::size_t used_ = 0;
};

bool starts_gzip(std::span<const char> bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

bool starts_zstd(std::span<const char> bytes) {
  if (bytes.size() < 4) return false;
  std::uint32_t magic = 0;
  for (int i = 3; i >= 0; --i) magic = magic << 8 | static_cast<unsigned char>(bytes[i]);
  return magic == ZSTD_MAGICNUMBER ||
         (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

void unpack_gzip(const NamedText& packed, Sink& sink, Meter& meter) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);
  std::span<const char> rest = packed.bytes;
  bool inside = true;
  while (inside || !rest.empty()) {
    if (!inside) {
      // Between members. Zeros after the last one are padding, as gzip takes them.
      if (std::all_of(rest.begin(), rest.end(), [](char c) { return c == 0; })) return;
      if (!starts_gzip(rest)) fail(packed, "junk after the gzip data");
      inflateReset(&stream);
      inside = true;
    }
    const auto piece = rest.first(std::min(rest.size(), step));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    const auto room = sink.room();
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(room.size(), 1u << 30));
    const uInt offered = stream.avail_out;
    const int result = inflate(&stream, Z_NO_FLUSH);
    sink.used(offered - stream.avail_out);
    const std::size_t eaten = piece.size() - stream.avail_in;
    rest = rest.subspan(eaten);
    meter.add(eaten);
    if (result == Z_STREAM_END)
      inside = false;
    else if (result == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (result != Z_OK && result != Z_BUF_ERROR)
      fail(packed, fmt::format("broken gzip data: {}", stream.msg ? stream.msg : "bad stream"));
    else if (rest.empty() && stream.avail_out != 0)
      fail(packed, "gzip data ends early");
  }
}

void unpack_zstd(const NamedText& packed, Sink& sink, Meter& meter) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  std::span<const char> rest = packed.bytes;
  std::size_t wanted = 1;
  while (!rest.empty() || wanted != 0) {
    const auto piece = rest.first(std::min(rest.size(), step));
    const auto room = sink.room();
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    wanted = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(wanted))
      fail(packed, fmt::format("broken zstd data: {}", ZSTD_getErrorName(wanted)));
    sink.used(out.pos);
    rest = rest.subspan(in.pos);
    meter.add(in.pos);
    if (rest.empty() && wanted != 0 && out.pos < out.size) fail(packed, "zstd data ends early");
  }
}

}  // namespace

Packing packing_of(std::span<const char> bytes) {
  return starts_gzip(bytes) ? Packing::gzip : starts_zstd(bytes) ? Packing::zstd : Packing::none;
}

std::vector<char> unpack(const NamedText& packed, Packing packing, Meter& meter) {
  Sink sink(packed);
  if (packing == Packing::gzip) unpack_gzip(packed, sink, meter);
  if (packing == Packing::zstd) unpack_zstd(packed, sink, meter);
  return sink.take();
}

}  // namespace nz
