// Someone else cuts the file short while it is read: the bytes that are gone are an error, not a
// signal, whichever moment it is.
#include <unistd.h>

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "io/packed.hpp"
#include "io/read_bytes.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::TempDir;

// Cuts the file before the read of that number.
class CutSource final : public Source {
 public:
  CutSource(const std::string& path, int before, std::uint64_t left)
      : Source(path), file_(path), before_(before), left_(left) {
    size_ = file_.size();
  }
  void read(std::uint64_t at, char* to, std::size_t n) const override {
    if (reads_++ == before_) {
      EXPECT_EQ(::truncate(name_.c_str(), static_cast<off_t>(left_)), 0);
    }
    file_.read(at, to, n);
  }
  bool cut() const { return reads_ > before_; }

 private:
  FileSource file_;
  int before_;
  std::uint64_t left_;
  mutable std::atomic<int> reads_{0};
};

// Reads it again and again, cut at each read in turn; says how many times that was an error.
template <class Read>
int failures(const std::string& bytes, Read&& read) {
  const TempDir dir;
  int failed = 0;
  for (const std::uint64_t left : {std::uint64_t{0}, std::uint64_t{bytes.size() / 3}})
    for (int k = 0;; ++k) {
      const auto path = dir.write("file", bytes);
      const CutSource file(path, k, left);
      try {
        read(file);
        if (!file.cut()) break;
      } catch (const BadInput& error) {
        ++failed;
        EXPECT_EQ(std::string(error.what()).rfind(path + ": cut short while it was read: ", 0), 0u)
            << error.what();
      }
    }
  return failed;
}

std::string matrix_text() {
  std::string text = "%%MatrixMarket matrix coordinate real general\n3000 3000 30000\n";
  for (int k = 0; k < 30000; ++k)
    text += std::to_string(k % 3000 + 1) + " " + std::to_string(k * 7 % 3000 + 1) + " 0.5\n";
  return text;
}

void read_it(const Source& file) {
  (void)read_matrix_source<double, std::int32_t>(file, {}, 1 << 16);
}

TEST(Truncated, MatrixMarket) { EXPECT_GE(failures(matrix_text(), read_it), 8); }

TEST(Truncated, Compressed) {
  EXPECT_GE(failures(gzip(matrix_text()), read_it), 2);
  EXPECT_GE(failures(zstd(matrix_text()), read_it), 2);
}

TEST(Truncated, Nzb) {
  const TempDir dir;
  std::vector<std::int32_t> offsets(700001), columns(700000);
  std::vector<double> values(700000, 0.5);
  for (int i = 0; i < 700000; ++i) offsets[i + 1] = i + 1, columns[i] = i;
  const CsrView<double, std::int32_t> a{700000,         700000,         700000,
                                        offsets.data(), columns.data(), values.data()};
  write_matrix(dir("a.nzb"), a);
  EXPECT_GE(failures(test::read_file(dir("a.nzb")), read_it), 5);
}

TEST(Truncated, Npy) {
  const TempDir dir;
  const std::vector<double> v(300000, 0.25);
  write_vector(dir("v.npy"), std::span<const double>(v));
  const std::string bytes = test::read_file(dir("v.npy"));
  EXPECT_GE(failures(bytes, [](const Source& f) { (void)read_vector_source<double>(f); }), 4);
  EXPECT_GE(failures(bytes, [](const Source& f) { (void)read_vector_source<float>(f); }), 6);
}

TEST(Truncated, VectorText) {
  std::string text = "%%MatrixMarket matrix array real general\n40000 1\n";
  for (int k = 0; k < 40000; ++k) text += "0.125\n";
  EXPECT_GE(
      failures(text, [](const Source& f) { (void)read_vector_source<double>(f, {}, 1 << 15); }), 6);
}

}  // namespace
}  // namespace nz
