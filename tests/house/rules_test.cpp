#include "house/rules.hpp"

#include <gtest/gtest.h>

// The rules on planted lines: each must be seen, and what only looks like one must not.
namespace nz::house {
namespace {

TEST(Rules, SeeWhatPrintsOrEndsTheProcess) {
  for (const char* line : {"std::cout << 1;",
                           "std::cerr << 1;",
                           "std::clog << 1;",
                           "using std::cout; cout << 1;",
                           "std::wcerr << L\"x\";",
                           "printf(\"x\");",
                           "std::printf (\"x\");",
                           "fprintf(stderr, \"x\");",
                           "std::fprintf(file, \"x\");",
                           "vfprintf(f, s, a);",
                           "dprintf(2, \"x\");",
                           "puts(\"x\");",
                           "fputs(\"x\", f);",
                           "putchar('x');",
                           "fputc('x', f);",
                           "perror(\"x\");",
                           "fwrite(p, 1, n, stdout);",
                           "::write(STDERR_FILENO, p, n);",
                           "write(2, p, n);",
                           "fmt::print(\"x\");",
                           "fmt::println(\"x\");",
                           "std::print(\"x\");",
                           "exit(1);",
                           "std::exit(1);",
                           "::_exit(1);",
                           "_Exit(1);",
                           "std::quick_exit(1);",
                           "abort();",
                           "std::abort();",
                           "std::terminate();",
                           "raise(SIGABRT);",
                           "kill(getpid(), SIGKILL);",
                           "assert(x > 0);",
                           "__builtin_trap();",
                           "__assert_fail(\"\", \"\", 0, \"\");",
                           "f(\"a \\\" b\"); abort();",
                           "const char c = '\"'; abort();",
                           "x = 1'000; exit(1'0);",
                           "/* why */ abort();",
                           "int a;  // first\n  abort();"})
    EXPECT_NE(prints_or_exits(line), "") << line;
}

TEST(Rules, LeaveAloneWhatOnlyLooksLikeIt) {
  for (const char* line :
       {"// abort() would be wrong here", "/* printf(\"x\") */",
        "throw Error(\"cannot printf(x) or exit(1)\");", "const char* s = R\"(std::cout)\";",
        "const char* s = R\"x(abort(); )\" )x\";", "static_assert(x > 0);",
        "snprintf(buffer, n, \"x\");", "std::vsnprintf(buffer, n, s, a);", "on_exit_run();",
        "job.exit();", "job->abort();", "fmt::format(\"x\");", "write(fd, p, n);",
        "write(12, p, n);", "struct Printer {};", "std::outputs(x);", "bool exited = false;"})
    EXPECT_EQ(prints_or_exits(line), "") << line;
}

TEST(Rules, SayWhere) {
  EXPECT_EQ(prints_or_exits("int a;\nint b;\nabort();\n"), "line 3: abort");
  EXPECT_EQ(code_only("a \"b\" c // d\ne"), "a \" \" c     \ne");
}

TEST(Rules, SeeThreads) {
  for (const char* line : {"#pragma omp parallel", "# pragma  omp for", "_Pragma(\"omp simd\")",
                           "std::thread t(f);", "std::vector<std::thread> all;",
                           "std::jthread t(f);", "std::async(f);", "pthread_create(&t, 0, f, 0);"})
    EXPECT_NE(starts_threads(line), "") << line;
  for (const char* line : {"// #pragma omp parallel", "std::thread::hardware_concurrency()",
                           "std::this_thread::yield();", "_Pragma(\"unroll\")"})
    EXPECT_EQ(starts_threads(line), "") << line;
}

TEST(Rules, SeePublicNames) {
  const std::vector<std::string> wanted = {"Op",   "all_ops", "index_t", "Value", "Plan",
                                           "plan", "find_it", "cg",      "wide",  "Stop"};
  EXPECT_EQ(public_names("#pragma once\n#define NZ_X 1\nnamespace NZ_API nz {\nstruct Later;\n"
                         "enum class Op : char { none };\n"
                         "inline constexpr Op all_ops[] = {Op::none};\n"
                         "using index_t = int;\n"
                         "template <class T>\nconcept Value = true;\n"
                         "// struct Comment {\n"
                         "template <Value T>\nclass Plan {\n public:\n  void inside();\n"
                         "  struct Inner {};\n};\n"
                         "namespace detail {\nvoid hidden(int);\n"
                         "struct Hidden {\n  int a;\n};\nvoid too();\n}\n"
                         "namespace Eigen::internal {\nstruct traits<Plan> {};\n}\n"
                         "template <Value T>\nNZ_API Plan<T> plan(Csr<T, int> a,\n"
                         "                     int b = 0);\n"
                         "const Plan<int>& find_it(std::string_view id);\n"
                         "std::string_view plan(int);\n"
                         "NZ_SOLVER(cg)  // symmetric\n"
                         "template <Value T>\ninline constexpr index_t wide = sizeof(T);\n"
                         "enum class Stop : char {\n  one,\n};\n"
                         "static_assert(sizeof(int) == 4);\n}  // namespace nz\n"),
            wanted);
}

TEST(Rules, SeeHeadersThatUsersLack) {
  for (const char* line :
       {"#include <cuda_runtime.h>", "#  include <cuda_fp16.h>", "#include \"base/parallel.hpp\"",
        "#include <cub/cub.cuh>", "#include <fmt/format.h>", "#include <nlohmann/json.hpp>",
        "#include <sys/mman.h>", "#include <omp.h>", "#include NZ_HEADER",
        "#include <cuda/std/span>"})
    EXPECT_NE(includes_what_users_lack(line), "") << line;
  for (const char* line :
       {"#include <vector>", "#include <type_traits>", "#include <nonzero/plan.hpp>",
        "#include <nonzero/formats/csr.hpp>", "#include <nonzero/c/complex.h>",
        "#include <stddef.h>", "#include <stdint.h>"})
    EXPECT_EQ(includes_what_users_lack(line), "") << line;
  // An adaptor has its own library, and no other.
  EXPECT_NE(includes_what_users_lack("#include <Eigen/Core>"), "");
  EXPECT_EQ(includes_what_users_lack("#include <Eigen/Core>", "Eigen"), "");
  EXPECT_NE(includes_what_users_lack("#include <fmt/format.h>", "Eigen"), "");
}

}  // namespace
}  // namespace nz::house
