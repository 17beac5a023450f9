#include "io/stream.hpp"

#include <algorithm>
#include <cstring>

namespace nz {
namespace {

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(const Source& file) : file_(file) {}
  std::size_t read(char* to, std::size_t n) override {
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, file_.size() - at_));
    file_.read(at_, to, n);
    at_ += n;
    return n;
  }
  std::uint64_t taken() const override { return at_; }

 private:
  const Source& file_;
  std::uint64_t at_ = 0;
};

constexpr std::size_t step = std::size_t{1} << 20;

}  // namespace

std::unique_ptr<ByteStream> open_stream(const Source& file, const Budget& budget, Packing packing) {
  switch (packing) {
    case Packing::gzip:
      return unpack_gzip(file, budget);
    case Packing::zstd:
      return unpack_zstd(file, budget);
    case Packing::none:
      break;
  }
  return std::make_unique<PlainStream>(file);
}

UnpackedSource::UnpackedSource(ByteStream& stream, const Source& file, Budget& budget)
    : Source(file.name()) {
  for (std::size_t n = step; n == step; size_ += n) {
    budget.require(size_ + step, name_, "unpacked, it");
    parts_.emplace_back(step);
    n = stream.read(parts_.back().data(), step);
  }
  budget.hold(size_);
}

void UnpackedSource::read(std::uint64_t at, char* to, std::size_t n) const {
  while (n > 0) {
    const std::size_t from = at % step, count = std::min(n, step - from);
    std::memcpy(to, parts_[at / step].data() + from, count);
    to += count;
    at += count;
    n -= count;
  }
}

void drain(ByteStream& stream) {
  Array<char> buffer(step);
  while (stream.read(buffer.data(), buffer.size()) == buffer.size()) {
  }
}

}  // namespace nz
