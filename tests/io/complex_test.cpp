#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "io/packed.hpp"
#include "io/read_text.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::TempDir;
using C = std::complex<double>;

const std::string banner = "%%MatrixMarket matrix coordinate complex ";

std::vector<C> dense_of(const std::string& text, std::size_t piece = usual_piece) {
  return dense(read_text<C>(text, piece));
}

TEST(ComplexFiles, Coordinates) {
  EXPECT_EQ(dense_of(banner + "general\n2 3 3\n1 1 1 -2\n2 3  0.5\t1e3 \n1 2 0 1"),
            (std::vector<C>{{1, -2}, {0, 1}, 0, 0, 0, {0.5, 1000}}));
  EXPECT_EQ(dense_of(banner + "symmetric\n2 2 2\n1 1 1 2\n2 1 3 4\n"),
            (std::vector<C>{{1, 2}, {3, 4}, {3, 4}, 0}));
  EXPECT_EQ(dense_of(banner + "skew-symmetric\n2 2 1\n2 1 3 4\n"),
            (std::vector<C>{0, {-3, -4}, {3, 4}, 0}));
  EXPECT_EQ(dense_of(banner + "Hermitian\n2 2 3\n1 1 1 0\n2 1 3 4\n2 2 5 -0\n"),
            (std::vector<C>{1, {3, -4}, {3, 4}, 5}));
  // Above the diagonal.
  EXPECT_EQ(dense_of(banner + "hermitian\n2 2 1\n1 2 3 4\n"),
            (std::vector<C>{0, {3, 4}, {3, -4}, 0}));
  // Duplicates are summed.
  EXPECT_EQ(dense_of(banner + "general\n1 1 2\n1 1 1 2\n1 1 3 -5\n"), (std::vector<C>{{4, -3}}));
}

TEST(ComplexFiles, Arrays) {
  const std::string array = "%%MatrixMarket matrix array complex ";
  EXPECT_EQ(dense_of(array + "general\n2 1\n1 2\n3 4\n"), (std::vector<C>{{1, 2}, {3, 4}}));
  EXPECT_EQ(dense_of(array + "hermitian\n2 2\n1 0\n3 4\n5 0\n"),
            (std::vector<C>{1, {3, -4}, {3, 4}, 5}));
  EXPECT_EQ(dense_of(array + "skew-symmetric\n2 2\n3 4\n"),
            (std::vector<C>{0, {-3, -4}, {3, 4}, 0}));
  EXPECT_THROW(dense_of(array + "hermitian\n1 1\n1 2\n"), BadInput);
}

// Real files are complex ones without imaginary parts.
TEST(ComplexFiles, RealFilesAsComplexNumbers) {
  FileInfo info;
  const auto a = read_text<std::complex<float>>(
      "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 2\n2 1 -1\n", usual_piece,
      &info);
  EXPECT_EQ(dense(a), (std::vector<std::complex<float>>{2, -1, -1, 0}));
  EXPECT_EQ(info.field, Field::integer);
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n"),
            (std::vector<C>{0, 1}));
}

std::string refusal(const std::string& text) {
  try {
    (void)read_text<C>(text);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "not refused";
}

TEST(ComplexFiles, HostileTexts) {
  const auto expect = [](const std::string& text, const std::string& message) {
    const std::string said = refusal(text);
    EXPECT_TRUE(said.find(message) != said.npos) << said << "\n  instead of: " << message;
  };
  expect(banner + "general\n1 1 1\n1 1 1\n", ":3: expected a number, found the end of the line");
  expect(banner + "general\n1 1 1\n1 1 1 2 3\n", ":3: unexpected '3' after the entry");
  expect(banner + "general\n1 1 1\n1 1 1 i\n", ":3: expected a number, found 'i'");
  expect(banner + "general\n1 1 1\n1 1 1+2i\n", ":3: expected a number");
  expect(banner + "general\n1 1 1\n1 1 1 1e999\n", ":3: '1e999' does not fit 64-bit");
  expect(banner + "general\n1 1 1\n1 1 nan 1\n", ":3: expected a number, found 'nan'");
  expect(banner + "hermitian\n2 2 1\n2 2 1 1\n", ":3: entry (2, 2) of a hermitian matrix is not");
  expect(banner + "skew-symmetric\n2 2 1\n2 2 0 1\n", ":3: entry (2, 2) of a skew-symmetric");
  expect(banner + "hermitian\n1 2 0\n", ":2: 1 x 2 cannot be hermitian");
  expect("%%MatrixMarket matrix coordinate pattern hermitian\n1 1 0\n",
         ":1: a hermitian matrix is complex, this is pattern");
  const std::string whole = banner + "general\n2 2 2\n1 1 1.5 -2\n2 2 3 4e1\n";
  for (std::size_t n = 0; n < whole.size() - 4; ++n)
    EXPECT_NE(refusal(whole.substr(0, n)), "not refused") << n;
}

template <class T>
Csr<T, std::int32_t> drawn_matrix() {
  std::mt19937_64 random(std::random_device{}());
  std::normal_distribution<typename T::value_type> part;
  std::vector<index_t> row, column;
  std::vector<T> value;
  for (int k = 0; k < 500; ++k) {
    row.push_back(static_cast<index_t>(random() % 40));
    column.push_back(static_cast<index_t>(random() % 70));
    const auto re = part(random);
    value.push_back({re, part(random)});
  }
  return csr_from_triplets<T, std::int32_t>(40, 70, row, column, value);
}

template <class T>
void expect_round_trips() {
  const TempDir dir;
  const auto a = drawn_matrix<T>();
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.zst"}) {
    write_matrix(dir(name), a.view(), "made by a test");
    FileInfo info;
    EXPECT_EQ((read_matrix<T, std::int32_t>(dir(name), ReadOptions{.info = &info})), a) << name;
    EXPECT_EQ(info.field, Field::complex);
    EXPECT_TRUE(is_complex_file(dir(name)));
    EXPECT_THROW((read_matrix<double, std::int32_t>(dir(name))), BadInput);
  }
  for (const char* name : {"v.mtx", "v.mtx.gz", "v.npy"}) {
    write_vector(dir(name), std::span<const T>(a.values));
    EXPECT_EQ(read_vector<T>(dir(name)), a.values) << name;
    EXPECT_TRUE(is_complex_file(dir(name)));
    EXPECT_THROW(read_vector<double>(dir(name)), BadInput);
  }
}

TEST(ComplexFiles, RoundTrips) {
  expect_round_trips<std::complex<float>>();
  expect_round_trips<C>();
}

TEST(ComplexFiles, VectorsOfOtherTypes) {
  const TempDir dir;
  const std::vector<C> v{{1, -2}, {0.5, 1e3}};
  write_vector(dir("v.npy"), std::span<const C>(v));
  const auto single = read_vector<std::complex<float>>(dir("v.npy"));
  EXPECT_EQ(single[1], std::complex<float>(0.5f, 1e3f));
  const std::vector<C> large{{0, 1e300}};
  write_vector(dir("large.npy"), std::span<const C>(large));
  EXPECT_THROW(read_vector<std::complex<float>>(dir("large.npy")), BadInput);
  const std::vector<double> real{3, 4};
  write_vector(dir("real.npy"), std::span<const double>(real));
  EXPECT_FALSE(is_complex_file(dir("real.npy")));
  EXPECT_EQ(read_vector<C>(dir("real.npy"))[1], C(4));
}

TEST(ComplexFiles, WhatCannotBeWritten) {
  const TempDir dir;
  Csr<C, std::int32_t> a{1, 1, {0, 1}, {0}, {{1, 2}}};
  EXPECT_THROW(write_matrix(dir("a.nzb"), a.view()), InvalidArgument);
  a.values[0] = {1, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(write_matrix(dir("a.mtx"), a.view()), InvalidArgument);
}

TEST(ComplexFiles, AreToldByTheirHeaders) {
  const TempDir dir;
  EXPECT_TRUE(is_complex_file(dir.write("a.mtx", gzip(banner + "general\n1 1 0\n"))));
  EXPECT_FALSE(is_complex_file(
      dir.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 0\n")));
  EXPECT_FALSE(is_complex_file(dir.write("a.txt", "no matrix")));
  EXPECT_FALSE(is_complex_file(dir("nowhere.mtx")));
}

}  // namespace
}  // namespace nz
