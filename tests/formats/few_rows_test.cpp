#include <string>

#include <gtest/gtest.h>
#include <nonzero/formats.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/threads.hpp>

// Few rows with many entries are converted by all threads, and come back as they were.
namespace nz {
namespace {

template <class T, class Check>
void with_threads(Check&& check) {
  // Blocks of equal rows, which are runs, and rows that have nothing in common.
  for (const char* spec :
       {"fem:nx=9,ny=6,nz=5,block=4,blocks=23", "random:rows=531,cols=3000,density=0.06"}) {
    const auto a = csr_cast<T, std::int32_t>(generate(spec).matrix.view());
    ASSERT_GT(a.nnz(), 1 << 16) << spec;
    for (const int n : {1, 3}) {
      const ThreadScope scope(n);
      SCOPED_TRACE(std::string(spec) + ", threads: " + std::to_string(n));
      check(a);
    }
  }
}

template <class T>
void come_back() {
  with_threads<T>([](const Csr<T, std::int32_t>& a) {
    const auto packed = packed_from_csr(a.view(), 100);
    ASSERT_NO_THROW(packed.validate());
    EXPECT_TRUE(packed_to_csr<std::int32_t>(packed.view()) == a);
    const auto sell = sell_from_csr(a.view(), 32, 1024, 100);
    ASSERT_NO_THROW(sell.validate());
    EXPECT_TRUE(sell_to_csr(sell.view()) == a);
    const auto compact = compact_from_csr(a.view());
    EXPECT_TRUE(compact_to_csr(compact.view()) == a);
  });
}

TEST(FewRows, ComeBackInFloat) { come_back<float>(); }
TEST(FewRows, ComeBackInDouble) { come_back<double>(); }

}  // namespace
}  // namespace nz
