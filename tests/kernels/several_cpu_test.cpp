#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "kernels/several_given.hpp"

// Where CPU kernels change from one way of multiplying several vectors to another: by numbers of
// vectors, by layouts, by lengths of rows, and by what slices hold.
namespace nz::test {
namespace {

constexpr const char* ways[] = {"cpu/csr/balanced", "cpu/compact/balanced", "cpu/packed/slices",
                                "cpu/sell/gather",  "cpu/bsr/unrolled",     "cpu/csb/balanced"};

// Level runs, runs of values that differ, bands with gaps, picks, blocks, short rows and long ones,
// and a side that is no multiple of slices and of blocks.
template <class T>
std::vector<Csr<T, std::int32_t>> matrices(std::mt19937_64& random) {
  std::vector<Csr<T, std::int32_t>> all;
  for (const char* spec : {"grid:points=5,nx=13,ny=15", "grid:points=7,nx=7,ny=6,nz=5,varied=3",
                           "banded:n=203,lower=9,upper=6,density=0.7,seed=5",
                           "banded:n=150,lower=20,upper=20,density=1,seed=6",
                           "block-band:n=41,block=3,density=0.2,seed=9"})
    all.push_back(csr_cast<T, std::int32_t>(generate(spec).matrix.view()));
  const auto far = [](index_t i, index_t j) { return index_t((i * 131 + j * 37) % 401); };
  all.push_back(rows_with<T>(
      77, 401, random, [](index_t i) { return i % 6; }, far));
  all.push_back(rows_with<T>(
      61, 401, random, [](index_t i) { return i % 7 ? 15 + i % 30 : 0; }, far));
  return all;
}

template <class T>
void every_way() {
  std::mt19937_64 random(seed() + sizeof(T));
  const Layout layouts[] = {Layout::row_major, Layout::column_major};
  for (const auto& a : matrices<T>(random))
    for (const char* id : ways) {
      const Kernel& kernel = find_kernel(id);
      Parameters asked = without_limit(kernel);
      if (kernel.format == "bsr") {
        // Shapes with loops of their own, and one without.
        const std::int64_t sides[] = {1, 2, 3, 4, 5, 6, 8, 7};
        asked["block_rows"] = asked["block_cols"] = sides[random() % std::size(sides)];
      }
      if (kernel.format == "csb") {
        // Lines that several tasks share, and lines that one task has.
        asked["block_bits"] = 3 + static_cast<std::int64_t>(random() % 6);
        asked["grain"] = 1;
      }
      const auto filled = kernel.with_fill
                              ? csr_cast<T, std::int32_t>(
                                    kernel
                                        .with_fill(csr_cast<double, std::int64_t>(a.view()).view(),
                                                   kernel.resolve(asked))
                                        .view())
                              : a;
      for (const index_t columns : {2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17}) {
        const Shape shape{columns, layouts[random() % 2], layouts[random() % 2],
                          random() % 2 ? int(random() % 3) : 0,
                          random() % 2 ? int(random() % 3) : 0};
        const Op op = random() % 3 ? Op::none : Op::transpose;
        several<T, std::int32_t>(kernel, cpu_device, a.view(), filled.view(), shape, op, T(1.5),
                                 random() % 2 ? T(0) : T(-0.5), random, asked);
      }
    }
}

TEST(SeveralOnCpus, EveryWayInFloat) { every_way<float>(); }
TEST(SeveralOnCpus, EveryWayInDouble) { every_way<double>(); }

// body(plan, op, X, Y, random) for every way, op and layout, with numbers of columns for which the
// ways differ: X is drawn, and neither it nor Y has gaps.
template <class T, class Body>
void for_every_plan(Body&& body) {
  std::mt19937_64 random(seed() + sizeof(T));
  std::uniform_real_distribution<T> number(T(-1), T(1));
  for (const auto& a : matrices<T>(random))
    for (const char* id : ways)
      for (const Op op : {Op::none, Op::transpose})
        for (const Layout layout : {Layout::row_major, Layout::column_major})
          for (const index_t columns : {2, 3, 5, 6, 7, 8, 11}) {
            SCOPED_TRACE(fmt::format("{} op {} {} columns", id, name(op), columns));
            PlanOptions options{.kernel = id};
            options.op = op;
            options.vectors = columns;
            const Plan<T> p = plan(a.view(), options);
            Owned<T> x(op == Op::none ? a.cols : a.rows, columns, layout, 0),
                y(op == Op::none ? a.rows : a.cols, columns, layout, 0);
            for (T& v : x.data) v = number(random);
            body(p, op, x, y, random);
          }
}

// Lanes of several columns are neighbours: what is infinite in one must not show in another.
template <class T>
void columns_keep_apart() {
  for_every_plan<T>([](const Plan<T>& p, Op op, Owned<T>& x, Owned<T>& y, auto& random) {
    Owned<T> clean = y;
    p.multiply(T(1), x.view(), T(0), clean.view(), op);
    const index_t bad = index_t(random() % static_cast<std::size_t>(x.columns));
    for (index_t i = 0; i < x.rows; ++i)
      x.view()(i, bad) =
          i % 2 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
    p.multiply(T(1), x.view(), T(0), y.view(), op);
    for (index_t j = 0; j < x.columns; ++j)
      if (j != bad) {
        EXPECT_TRUE(same_bits<T>(y.column(j), clean.column(j))) << j;
      }
  });
}

TEST(SeveralOnCpus, ColumnsKeepApartInFloat) { columns_keep_apart<float>(); }
TEST(SeveralOnCpus, ColumnsKeepApartInDouble) { columns_keep_apart<double>(); }

// Numbers whose end is the end of memory: what is read beyond them ends the program.
template <class T>
class AtTheEnd {
 public:
  explicit AtTheEnd(std::span<const T> v) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (v.size_bytes() + page - 1) / page * page;
    bytes_ = whole + page;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    char* const end = static_cast<char*>(memory_) + whole;
    EXPECT_EQ(mprotect(end, page, PROT_NONE), 0);
    data_ = reinterpret_cast<T*>(end - v.size_bytes());
    std::copy(v.begin(), v.end(), data_);
  }
  ~AtTheEnd() { munmap(memory_, bytes_); }
  AtTheEnd(const AtTheEnd&) = delete;
  AtTheEnd& operator=(const AtTheEnd&) = delete;
  const T* data() const { return data_; }

 private:
  void* memory_;
  std::size_t bytes_;
  T* data_;
};

template <class T>
void nothing_beyond_x() {
  for_every_plan<T>([](const Plan<T>& p, Op op, Owned<T>& x, Owned<T>& y, auto&) {
    Owned<T> other = y;
    const AtTheEnd<T> same(x.data);
    p.multiply(T(1), x.view(), T(0), y.view(), op);
    p.multiply(T(1), DenseView<const T>{same.data(), x.rows, x.columns, x.layout, x.leading}, T(0),
               other.view(), op);
    EXPECT_TRUE(same_bits<T>(y.data, other.data));
  });
}

TEST(SeveralOnCpus, NothingBeyondXInFloat) { nothing_beyond_x<float>(); }
TEST(SeveralOnCpus, NothingBeyondXInDouble) { nothing_beyond_x<double>(); }

}  // namespace
}  // namespace nz::test
