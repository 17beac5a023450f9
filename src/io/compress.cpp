#include "io/compress.hpp"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <memory>
#include <new>

#include <nonzero/error.hpp>

namespace nz {
namespace {

std::string pack_gzip(std::string_view text) {
  z_stream stream{};
  constexpr int level = 6, window = 15 + 16 /* gzip */, memory = 8;
  if (deflateInit2(&stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, deflateEnd);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw Error("gzip: compression failed");
  out.erase(out.size() - stream.avail_out);
  return out;
}

std::string pack_zstd(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t n =
      ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size());
  if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(n)) throw Error(std::string("zstd: ") + ZSTD_getErrorName(n));
  out.erase(n);
  return out;
}

}  // namespace

std::string pack(std::string text, Packing packing) {
  switch (packing) {
    case Packing::none:
      return text;
    case Packing::gzip:
      return pack_gzip(text);
    case Packing::zstd:
      return pack_zstd(text);
  }
  return text;
}

}  // namespace nz
