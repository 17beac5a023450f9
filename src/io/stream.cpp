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

// Some bytes of another stream.
class PartOfStream final : public ByteStream {
 public:
  PartOfStream(std::unique_ptr<ByteStream> whole, const Member& member)
      : whole_(std::move(whole)), left_(member.size) {
    skip(*whole_, member.at);
  }
  std::size_t read(char* to, std::size_t n) override {
    const std::size_t got =
        whole_->read(to, static_cast<std::size_t>(std::min<std::uint64_t>(n, left_)));
    left_ -= got;
    return got;
  }
  std::uint64_t taken() const override { return whole_->taken(); }

 private:
  std::unique_ptr<ByteStream> whole_;
  std::uint64_t left_;
};

constexpr std::size_t step = std::size_t{1} << 20;

std::unique_ptr<ByteStream> open_whole(const Source& file, const Budget& budget, Packing packing) {
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

}  // namespace

std::unique_ptr<ByteStream> open_stream(const Source& file, const Budget& budget, Packing packing,
                                        const Member& member) {
  auto whole = open_whole(file, budget, packing);
  if (member.name.empty()) return whole;
  return std::make_unique<PartOfStream>(std::move(whole), member);
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

std::uint64_t skip(ByteStream& stream, std::uint64_t n) {
  Array<char> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(n, step / 4)));
  std::uint64_t done = 0;
  while (done < n) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(n - done, buffer.size()));
    const std::size_t got = stream.read(buffer.data(), want);
    done += got;
    if (got < want) break;
  }
  return done;
}

void drain(ByteStream& stream) {
  Array<char> buffer(step);
  while (stream.read(buffer.data(), buffer.size()) == buffer.size()) {
  }
}

}  // namespace nz
