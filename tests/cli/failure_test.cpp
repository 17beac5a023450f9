#include "cli/failure.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/counting.hpp"
#include "support/program.hpp"

// How the program ends when something goes wrong.
namespace nz::test {
namespace {

template <class E>
cli::Failure of(const E& error) {
  return cli::failure_of(std::make_exception_ptr(error));
}

TEST(Failure, EveryKindHasItsCode) {
  EXPECT_EQ(of(InvalidArgument("x")).code, 2);
  EXPECT_EQ(of(BadInput("x")).code, 3);
  EXPECT_EQ(of(Refused("x")).code, 3);
  EXPECT_EQ(of(NoResource("x")).code, 4);
  EXPECT_EQ(of(std::bad_alloc()).code, 4);
  EXPECT_EQ(of(std::bad_array_new_length()).code, 4);
  EXPECT_EQ(of(DeviceFault("gpu/csr/x: an illegal address")).code, 5);
  EXPECT_EQ(of(std::logic_error("x")).code, 6);
  EXPECT_EQ(of(std::out_of_range("x")).code, 6);
  EXPECT_EQ(of(1).code, 6);
  using std::errc;
  const auto system = [](errc code) { return of(std::system_error(std::make_error_code(code))); };
  EXPECT_EQ(system(errc::resource_unavailable_try_again).code, 4) << "no more threads";
  EXPECT_EQ(system(errc::not_enough_memory).code, 4);
  EXPECT_EQ(system(errc::permission_denied).code, 3);
  EXPECT_EQ(of(std::filesystem::filesystem_error("x", std::make_error_code(errc::io_error))).code,
            3);
  try {
    FAIL() << nlohmann::json::parse("{");
  } catch (...) {
    EXPECT_EQ(cli::failure_of(std::current_exception()).code, 3);
  }
}

TEST(Failure, IsSaidInOneLine) {
  EXPECT_EQ(of(DeviceFault("block 3,\nthread 4")).message, "block 3, thread 4");
  EXPECT_EQ(of(std::bad_alloc()).message, "not enough memory");
  EXPECT_EQ(of(std::logic_error("a\r\nb")).message, "unexpected: a  b");
  EXPECT_EQ(of(1).message, "unexpected: an exception of no known kind");
}

// What libraries say of themselves helps nobody.
TEST(Failure, ShowsNoExceptionOfALibraryAsItIs) {
  using std::errc;
  const auto file = of(std::filesystem::filesystem_error(
      "cannot create directories", "/no/such", std::make_error_code(errc::permission_denied)));
  EXPECT_EQ(file.message, "/no/such: Permission denied");
  EXPECT_EQ(of(std::system_error(std::make_error_code(errc::io_error), "write")).message,
            "Input/output error");
  try {
    FAIL() << nlohmann::json::parse("{");
  } catch (...) {
    const auto json = cli::failure_of(std::current_exception());
    EXPECT_TRUE(json.message.starts_with("not the JSON that was expected: parse error"))
        << json.message;
    EXPECT_EQ(json.message.find("json.exception"), std::string::npos) << json.message;
  }
}

// The library counts from 0 and says so; people count from 1.
TEST(Failure, PlacesCountFromOne) {
  const std::vector<std::pair<std::string, std::string>> messages{
      {"Jacobi: row 0 (counting from 0) is empty", "Jacobi: row 1 (counting from 1) is empty"},
      {"rows 8 to 11 (counting from 0) is singular", "rows 9 to 12 (counting from 1) is singular"},
      {"row 17 (counting from 0) adds up to 2", "row 18 (counting from 1) adds up to 2"},
      {"(0, 1) is 5 and (1, 0) is 0, counting from 0",
       "(1, 2) is 5 and (2, 1) is 0, counting from 1"},
      {"row 3 (counting from 0): 9, exact 8, bound 2 (1 of 30 rows wrong)",
       "row 4 (counting from 1): 9, exact 8, bound 2 (1 of 30 rows wrong)"},
      {"CSR: row 0, entry 1: index 3 is outside 0 to 2 (counting from 0)",
       "CSR: row 1, entry 2: index 4 is outside 1 to 3 (counting from 1)"},
      {"HYB: row 2, COO entry 0: index 0 does not follow 1 in ELL (counting from 0)",
       "HYB: row 3, COO entry 1: index 1 does not follow 2 in ELL (counting from 1)"},
      {"CSR: row 2 ends at 8, before its start 9 (counting from 0)",
       "CSR: row 3 ends at 8, before its start 9 (counting from 1)"},
      {"a.mtx:3: row 7 is too large", "a.mtx:3: row 7 is too large"},
      {"counting from 0", "counting from 1"},
      {"", ""}};
  for (const auto& [from, to] : messages) EXPECT_EQ(cli::counted_from_one(from), to);
}

TEST(Failure, TheHelpPageHasEveryCode) {
  const Outcome o = nonzero({"--help"});
  EXPECT_TRUE(has(o.out, cli::exit_codes)) << o.out;
  for (int code = cli::ok; code <= cli::unexpected; ++code)
    EXPECT_TRUE(has(cli::exit_codes, (code == 0   ? ": "
                                      : code == 5 ? "\n"
                                                  : ", ") +
                                         std::to_string(code) + ' '))
        << code;
}

}  // namespace
}  // namespace nz::test
