#include "io/decompress.hpp"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>

#include "io/stream.hpp"

namespace nz {
namespace {

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

// What gzip and zstd have in common: packed bytes come in pieces, unpacked ones are counted.
class Unpacker : public ByteStream {
 public:
  Unpacker(const Source& packed, const Budget& budget)
      : packed_(packed),
        limit_(budget.unpacked_bytes()),
        buffer_(static_cast<std::size_t>(std::min<std::uint64_t>(step, packed.size()))) {}

  std::size_t read(char* to, std::size_t n) override {
    std::size_t got = 0;
    while (got < n && !ended_) got += some(to + got, n - got);
    unpacked_ += got;
    if (unpacked_ > limit_)
      fail(fmt::format("decompresses to more than {} bytes, too much for {} compressed ones",
                       limit_, packed_.size()));
    return got;
  }
  std::uint64_t taken() const override { return at_ - rest_.size(); }

 protected:
  static constexpr std::size_t step = 1 << 18;

  // Unpacks some bytes, at most n; sets ended_ behind the last.
  virtual std::size_t some(char* to, std::size_t n) = 0;

  // At least `wanted` packed bytes in rest_, or all there are.
  void fill(std::size_t wanted) {
    if (rest_.size() >= wanted) return;
    if (!rest_.empty()) std::memmove(buffer_.data(), rest_.data(), rest_.size());
    const auto n = static_cast<std::size_t>(
        std::min<std::uint64_t>(buffer_.size() - rest_.size(), packed_.size() - at_));
    packed_.read(at_, buffer_.data() + rest_.size(), n);
    at_ += n;
    rest_ = {buffer_.data(), rest_.size() + n};
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}: {}", packed_.name(), what));
  }

  const Source& packed_;
  std::uint64_t limit_, unpacked_ = 0;
  Array<char> buffer_;
  std::uint64_t at_ = 0;  // of the packed bytes, behind those in the buffer
  std::span<const char> rest_{};
  bool ended_ = false;
};

// What gzip and bare deflate data have in common: zlib's stream.
class ZlibStream : public Unpacker {
 protected:
  // `name` is for messages, `window` zlib's number for the size and the wrapping.
  ZlibStream(const Source& packed, const Budget& budget, const char* name, int window)
      : Unpacker(packed, budget), name_(name) {
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibStream() override { inflateEnd(&stream_); }

  // Up to n bytes; ends(): what is packed ends with them.
  template <class Ends>
  std::size_t inflate_some(char* to, std::size_t n, Ends&& ends) {
    fill(1);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(rest_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(n, 1u << 30));
    const uInt offered = stream_.avail_out;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    rest_ = rest_.last(stream_.avail_in);
    if (result == Z_STREAM_END)
      ends();
    else if (result == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (result != Z_OK && result != Z_BUF_ERROR)
      fail(fmt::format("broken {} data: {}", name_, stream_.msg ? stream_.msg : "bad stream"));
    else if (rest_.empty() && at_ == packed_.size() && stream_.avail_out != 0)
      fail(fmt::format("{} data ends early", name_));
    return offered - stream_.avail_out;
  }

  z_stream stream_{};

 private:
  const char* name_;
};

class Gunzip final : public ZlibStream {
 public:
  Gunzip(const Source& packed, const Budget& budget)
      : ZlibStream(packed, budget, "gzip", 15 + 16) {}

 private:
  std::size_t some(char* to, std::size_t n) override {
    if (!inside_ && !next_member()) return 0;
    return inflate_some(to, n, [&] { inside_ = false; });
  }

  // Between members. Zeros after the last one are padding, as gzip takes them.
  bool next_member() {
    bool padded = false;
    for (fill(2); !rest_.empty() && rest_[0] == 0; fill(2)) {
      rest_ = rest_.subspan(1);
      padded = true;
    }
    if (rest_.empty()) {
      ended_ = true;
      return false;
    }
    if (padded || !starts_gzip(rest_)) fail("junk after the gzip data");
    inflateReset(&stream_);
    return inside_ = true;
  }

  bool inside_ = true;
};

class Inflate final : public ZlibStream {
 public:
  Inflate(const Source& packed, const Budget& budget, Wrapping wrapping)
      : ZlibStream(packed, budget, "deflate", wrapping == Wrapping::zlib ? 15 : -15) {}

 private:
  std::size_t some(char* to, std::size_t n) override {
    return inflate_some(to, n, [&] { ended_ = true; });
  }
};

class Unzstd final : public Unpacker {
 public:
  Unzstd(const Source& packed, const Budget& budget)
      : Unpacker(packed, budget), context_(ZSTD_createDCtx(), ZSTD_freeDCtx), budget_(budget) {
    if (!context_) throw std::bad_alloc();
    // The window is allocated when a frame claims it. 27 is the most that zstd takes unasked.
    window_log_ = std::clamp(static_cast<int>(std::bit_width(budget.bytes())) - 1, 10,
                             budget.limited() ? 31 : 27);
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window_log_);
  }

 private:
  std::size_t some(char* to, std::size_t n) override {
    fill(1);
    if (rest_.empty() && wanted_ == 0) {
      ended_ = true;
      return 0;
    }
    ZSTD_inBuffer in{rest_.data(), rest_.size(), 0};
    ZSTD_outBuffer out{to, n, 0};
    wanted_ = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(wanted_)) {
      if (ZSTD_getErrorCode(wanted_) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_getErrorCode(wanted_) == ZSTD_error_frameParameter_windowTooLarge)
        fail(fmt::format(
            "unpacking needs a larger zstd window than the {} bytes that it may take of "
            "the {} bytes of memory granted to it{}",
            std::uint64_t{1} << window_log_, budget_.bytes(),
            budget_.limited() ? "" : "; a memory limit allows larger ones"));
      fail(fmt::format("broken zstd data: {}", ZSTD_getErrorName(wanted_)));
    }
    rest_ = rest_.subspan(in.pos);
    if (rest_.empty() && at_ == packed_.size() && wanted_ != 0 && out.pos < out.size)
      fail("zstd data ends early");
    return out.pos;
  }

  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  const Budget& budget_;
  int window_log_ = 0;
  std::size_t wanted_ = 1;
};

}  // namespace

Packing packing_of(std::span<const char> bytes) {
  return starts_gzip(bytes) ? Packing::gzip : starts_zstd(bytes) ? Packing::zstd : Packing::none;
}

std::unique_ptr<ByteStream> unpack_gzip(const Source& packed, const Budget& budget) {
  return std::make_unique<Gunzip>(packed, budget);
}

std::unique_ptr<ByteStream> unpack_zstd(const Source& packed, const Budget& budget) {
  return std::make_unique<Unzstd>(packed, budget);
}

std::unique_ptr<ByteStream> unpack_deflate(const Source& packed, const Budget& budget,
                                           Wrapping wrapping) {
  return std::make_unique<Inflate>(packed, budget, wrapping);
}

}  // namespace nz
