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

TEST(Rules, SeeHeadersThatUsersLack) {
  for (const char* line :
       {"#include <cuda_runtime.h>", "#  include <cuda_fp16.h>", "#include \"base/parallel.hpp\"",
        "#include <cub/cub.cuh>", "#include <fmt/format.h>", "#include <nlohmann/json.hpp>",
        "#include <sys/mman.h>", "#include <omp.h>", "#include NZ_HEADER",
        "#include <cuda/std/span>"})
    EXPECT_NE(includes_what_users_lack(line), "") << line;
  for (const char* line : {"#include <vector>", "#include <type_traits>",
                           "#include <nonzero/plan.hpp>", "#include <nonzero/formats/csr.hpp>"})
    EXPECT_EQ(includes_what_users_lack(line), "") << line;
}

}  // namespace
}  // namespace nz::house
