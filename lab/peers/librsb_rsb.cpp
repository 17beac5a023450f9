#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <omp.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <rsb.h>

#include "lab/peers/peer_product.hpp"

namespace nz::lab::peers {
namespace {

void check(rsb_err_t status, const char* what) {
  if (status == RSB_ERR_NO_ERROR) return;
  char text[128] = {};
  rsb_strerror_r(status, text, sizeof text);
  if (status == RSB_ERR_ENOMEM) throw NoResource(fmt::format("librsb: {}: {}", what, text));
  throw Error(fmt::format("librsb: {}: {}", what, text));
}

// It never uses more threads than OpenMP would when it starts, which may be few by then.
int start(int wanted) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(std::max(wanted, omp_get_num_procs()));
  const rsb_err_t status = rsb_lib_init(RSB_NULL_INIT_OPTIONS);
  omp_set_num_threads(before);
  check(status, "init");
  return 0;
}

// The number of threads belongs to the library, not to a matrix.
void use_threads(int wanted) {
  static int set = start(wanted);
  if (set == wanted) return;
  const rsb_int_t n = wanted;
  check(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &n), "set threads");
  set = wanted;
}

rsb_trans_t transposition(Op op) {
  return op == Op::none ? RSB_TRANSPOSITION_N : RSB_TRANSPOSITION_T;
}

struct Free {
  void operator()(rsb_mtx_t* m) const { rsb_mtx_free(m); }
};
using Matrix = std::unique_ptr<rsb_mtx_t, Free>;

template <class T>
Matrix build(const CsrView<T, std::int32_t>& a) {
  rsb_err_t status = RSB_ERR_NO_ERROR;
  Matrix m(rsb_mtx_alloc_from_csr_const(
      a.values, a.offsets, a.columns, a.nnz,
      std::is_same_v<T, float> ? RSB_NUMERICAL_TYPE_FLOAT : RSB_NUMERICAL_TYPE_DOUBLE, a.rows,
      a.cols, RSB_DEFAULT_BLOCKING, RSB_DEFAULT_BLOCKING, RSB_FLAG_NOFLAGS, &status));
  check(status, "build");
  if (!m) throw NoResource("librsb: no matrix was built");
  return m;
}

// A matrix with fewer nonzeros is one block whatever the tuner does.
constexpr std::size_t smallest_tuned = 10'000;

// A round of the tuner for one operation converts the matrix about this many times, which is most
// of its time and what no setting of it bounds.
constexpr double conversions_per_round = 10;

// A better instance of `m` for op, or none. The tuner measures y = op(A) x on the threads now set.
template <class T>
Matrix tuned(const Matrix& m, Op op, rsb_int_t rounds) {
  constexpr double seconds_per_round = 0.1;
  const T one = 1, zero = 0;
  rsb_mtx_t* found = nullptr;
  rsb_real_t speedup = 0;
  const rsb_err_t status =
      rsb_tune_spmm(&found, &speedup, nullptr, rounds, seconds_per_round, transposition(op), &one,
                    m.get(), 1, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, nullptr, 0, &zero, nullptr, 0);
  Matrix better(found == m.get() ? nullptr : found);
  // Without an improvement the tuner gives a mere copy, and nothing where it gave up.
  return status == RSB_ERR_NO_ERROR && speedup > 1 ? std::move(better) : nullptr;
}

std::size_t size_of(const Matrix& m, rsb_mif_t which) {
  std::size_t bytes = 0;
  if (m) check(rsb_mtx_get_info(m.get(), which, &bytes), "get_info");
  return bytes;
}

// Recursive sparse blocks, tuned by the library for N and for T: where the tuner finds something
// better than what it started from, the operation has an instance of its own.
template <class T>
class LibrsbRsb final : public PeerProduct<T> {
 public:
  LibrsbRsb(const CsrView<T, std::int32_t>& a, const Parameters& p)
      : PeerProduct<T>(a.rows, a.cols, static_cast<std::size_t>(a.nnz)) {
    if (this->empty()) return;
    use_threads(this->thread_count());
    const auto start = std::chrono::steady_clock::now();
    base_ = build(a);
    const std::chrono::duration<double> once = std::chrono::steady_clock::now() - start;
    tune(p, once.count());
    if (tuned_[0] && tuned_[1]) base_.reset();
    const Matrix& n = tuned_[0] ? tuned_[0] : base_;
    stored_ = this->slots() * sizeof(T) + size_of(n, RSB_MIF_INDEX_STORAGE_IN_BYTES__TO__SIZE_T);
    for (const Matrix* m : {&base_, &tuned_[0], &tuned_[1]})
      bytes_ += size_of(*m, RSB_MIF_TOTAL_SIZE__TO__SIZE_T);
  }
  std::size_t bytes() const override { return bytes_; }
  bool borrows() const override { return false; }

 private:
  static int index(Op op) { return op == Op::none ? 0 : 1; }

  void tune(const Parameters& p, double build_seconds) {
    const auto rounds = static_cast<rsb_int_t>(p.at("tune_rounds"));
    const double expected = 2 * conversions_per_round * rounds * build_seconds;
    if (rounds == 0 || this->slots() < smallest_tuned ||
        expected > static_cast<double>(p.at("tune_seconds")))
      return;
    for (const Op op : all_ops) tuned_[index(op)] = tuned<T>(base_, op, rounds);
  }

  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    use_threads(this->thread_count());
    const Matrix& own = tuned_[index(op)];
    check(rsb_spmv(transposition(op), &alpha, own ? own.get() : base_.get(), x, 1, &beta, y, 1),
          "spmv");
  }
  std::size_t stored() const override { return stored_; }

  Matrix base_;
  Matrix tuned_[2];
  std::size_t stored_ = 0;
  std::size_t bytes_ = 0;
};

// "librsb version 1.3.0.2 - 202212201855" without its date.
std::string_view version() {
  static const std::string text = [] {
    const std::string whole = RSB_HEADER_VERSION_STRING;
    const auto number = whole.find_first_of("0123456789");
    return "librsb " + whole.substr(number, whole.find(' ', number) - number);
  }();
  return text;
}

}  // namespace

Kernel librsb_rsb() {
  return {
      .family = "peer",
      .format = "librsb",
      .strategy = "rsb",
      .transposes = true,
      .threaded = true,
      .source = version(),
      .summary = "recursive sparse blocks, tuned by the library for N and for T",
      .parameters = {{"tune_rounds", "rounds of its tuner for N and for T; 0: as built", 1, 0, 16},
                     {"tune_seconds", "no tuning where it would take longer", 60, 0, 100'000}},
      .prepare = offsets_of_32_bits<LibrsbRsb>()};
}

}  // namespace nz::lab::peers
