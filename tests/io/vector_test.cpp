#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "io/packed.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::read_file;
using test::TempDir;

template <class T>
void expect_round_trip(const char* name, std::vector<T> values) {
  const TempDir dir;
  write_vector(dir(name), std::span<const T>(values));
  const auto back = read_vector<T>(dir(name));
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    ASSERT_EQ(std::memcmp(&back[k], &values[k], sizeof(T)), 0) << name << ", element " << k;
}

TEST(Vector, RoundTrips) {
  for (const char* name : {"v.mtx", "v.mtx.gz", "v.mtx.zst", "v.npy"}) {
    expect_round_trip<double>(name, {});
    expect_round_trip<double>(name, {0.1, -0.0, 5e-324, 1.7976931348623157e308, 3});
    expect_round_trip<float>(name, {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 3});
    expect_round_trip<double>(name, std::vector<double>(200000, 1.0 / 3));
  }
  expect_round_trip<double>("v.npy", {std::numeric_limits<double>::infinity(), std::nan("")});
}

TEST(Vector, MatrixMarketRowsAndColumns) {
  const TempDir dir;
  const std::string head = "%%MatrixMarket matrix array real general\n";
  EXPECT_EQ(read_vector<double>(dir.write("v.mtx", head + "3 1\n1\n0\n2\n")),
            (Array<double>{1, 0, 2}));
  EXPECT_EQ(read_vector<double>(dir.write("v.mtx", head + "1 3\n1\n0\n2\n")),
            (Array<double>{1, 0, 2}));
  EXPECT_EQ(read_vector<float>(dir.write(
                "v.mtx", gzip("%%MatrixMarket matrix array integer general\n2 1\n7\n-8"))),
            (Array<float>{7, -8}));
}

// NumPy's format, version 1 to 3.
std::string npy(int version, const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const int size = version == 1 ? 2 : 4;
  for (int k = 0; k < size; ++k) bytes += static_cast<char>(header.size() >> (8 * k) & 0xff);
  return bytes + header + data;
}

template <class S>
std::string raw(const std::vector<S>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(S)};
}

TEST(Vector, NpyAsNumPyWritesIt) {
  const TempDir dir;
  const Array<double> expected{1, -2, 3};
  const auto f8 = raw<double>({1, -2, 3});
  const std::string files[] = {
      npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }      \n", f8),
      npy(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", f8),
      npy(3, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1), }\n", f8),
      npy(1, "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(1,3)}", f8),
      npy(1, "{'shape': (3,), 'fortran_order': False, 'descr': '<f4'}\n", raw<float>({1, -2, 3})),
      npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n",
          raw<std::int64_t>({1, -2, 3})),
      npy(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\n",
          raw<std::int32_t>({1, -2, 3})),
      gzip(npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", f8)),
  };
  for (const auto& bytes : files) {
    const auto path = dir.write("v.npy", bytes);
    EXPECT_EQ(read_vector<double>(path), expected);
    EXPECT_EQ(read_vector<float>(path), (Array<float>{1, -2, 3}));
  }
  EXPECT_EQ(read_vector<double>(
                dir.write("v.npy",
                          npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", "")))
                .size(),
            0u);
}

TEST(Vector, WritesWhatNumPyReads) {
  const TempDir dir;
  const std::vector<double> v{1, 2};
  write_vector(dir("v.npy"), std::span<const double>(v));
  const std::string bytes = read_file(dir("v.npy"));
  EXPECT_EQ(bytes.size() % 64, 16u);  // the data starts at a multiple of 64
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
  EXPECT_EQ(bytes.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }   ");
  EXPECT_EQ(bytes[bytes.size() - 17], '\n');
  EXPECT_EQ(bytes.substr(bytes.size() - 16), raw(v));
}

TEST(Vector, Refused) {
  const TempDir dir;
  const auto f8 = raw<double>({1, -2, 3});
  const auto header = [](const char* type, const char* shape) {
    return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  };
  const std::pair<std::string, const char*> cases[] = {
      {npy(1, header("<f8", "(3,)"), f8).substr(0, 5), ":1: not a Matrix Market file"},
      {npy(1, header("<f8", "(3,)"), f8).substr(0, 9), ": the .npy header is cut short"},
      {npy(1, header("<f8", "(3,)"), f8).substr(0, 40), ": the .npy header is cut short"},
      {npy(4, header("<f8", "(3,)"), f8), ": .npy version 4 is not known"},
      {npy(1, header("<f8", "(3,)"), f8 + "x"),
       ": 3 numbers of 8 bytes announced, but 25 bytes follow"},
      {npy(1, header("<f8", "(4,)"), f8), ": 4 numbers of 8 bytes announced, but 24 bytes follow"},
      {npy(1, header("<f8", "(9223372036854775807,)"), f8),
       ": 9223372036854775807 numbers of 8 bytes"},
      {npy(1, header("<f8", "(99999999999999999999999,)"), f8),
       ": the .npy shape '(99999999999999999999999,)' is broken"},
      {npy(1, header("<f8", "(-3,)"), f8), ": the .npy shape '(-3,)' is broken"},
      {npy(1, header("<f8", "(3, 2)"), f8), ": the .npy shape (3, 2) is not that of a vector"},
      {npy(1, header("<f8", "()"), f8), ": the .npy shape () is not that of a vector"},
      {npy(1, header("<f8", "(1, 1, 3)"), f8),
       ": the .npy shape (1, 1, 3) is not that of a vector"},
      {npy(1, header("<f8", "3"), f8), ": the .npy header's shape is not a tuple"},
      {npy(1, "{'descr': '<f8', 'shape': (3,", f8), ": the .npy header's shape is not a tuple"},
      {npy(1, header(">f8", "(3,)"), f8), ": the .npy type '>f8' is not one of <f4, <f8, <i4, <i8"},
      {npy(1, header("<c16", "(3,)"), f8),
       ": the file has complex values, and is read as real ones"},
      {npy(1, header("<c24", "(3,)"), f8), ": the .npy type '<c24' is not one of"},
      {npy(1, "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,)}", f8),
       ": the .npy header's descr is not a string"},
      {npy(1, "{'descr': <f8<, 'fortran_order': False, 'shape': (3,)}", f8),
       ": the .npy header's descr is not a string"},
      {npy(1, "{'shape': (3,), 'descr': '<f8", f8), ": the .npy header's descr is not a string"},
      {npy(1, header("", "(3,)"), f8), ": the .npy type '' is not one of"},
      {npy(1, "{'fortran_order': False, 'shape': (3,)}", f8), ": the .npy header has no descr"},
      {npy(1, "", f8), ": the .npy header has no descr"},
      {"%%MatrixMarket matrix coordinate real general\n1 1 0\n",
       ": a vector must be a Matrix Market array"},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
       ": a vector must have one column or one row, this is 2 x 2 general"},
      {"%%MatrixMarket matrix array real general\n2 1\n1\nnan\n",
       ":4: expected a number, found 'nan'"},
      {"%%MatrixMarket matrix array real general\n3 1\n1\n2\n",
       ":4: the file ends after 2 of 3 values"},
  };
  for (const auto& [bytes, message] : cases) {
    const auto path = dir.write("v", bytes);
    try {
      read_vector<double>(path);
      ADD_FAILURE() << "not refused: " << message;
    } catch (const BadInput& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path + message, 0), 0u)
          << "said: " << error.what() << "\nexpected: " << message;
    }
  }
  const auto big = dir.write("v.npy", npy(1, header("<f8", "(1,)"), raw<double>({1e300})));
  EXPECT_THROW(read_vector<float>(big), BadInput);
}

TEST(Vector, WhatCannotBeWritten) {
  const TempDir dir;
  const std::vector<double> v{1, std::nan("")};
  try {
    write_vector(dir("v.mtx"), std::span<const double>(v));
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("v.mtx: entry (2, 1) is nan"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(dir("v.mtx")));
  EXPECT_THROW(write_vector(dir("v.txt"), std::span<const double>(v)), InvalidArgument);
}

}  // namespace
}  // namespace nz
