#include "lab/peers/cusparse_solvers.hpp"

#include <chrono>
#include <functional>
#include <memory>

#include <cublas_v2.h>
#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "device/csr.hpp"
#include "solve/replay.hpp"
#include "solve/sweep.hpp"
#include "lab/peers/cusparse.hpp"
#include "lab/peers/late_library.hpp"

namespace nz::lab::peers {
namespace {

LateLibrary cublas(NZ_CUBLAS_NAME, NZ_CUBLAS_PATH);
NZ_LATE_FUNCTION(cublas, cublasCreate);
NZ_LATE_FUNCTION(cublas, cublasDestroy);
NZ_LATE_FUNCTION(cublas, cublasGetProperty);
NZ_LATE_FUNCTION(cublas, cublasGetStatusString);
NZ_LATE_FUNCTION(cublas, cublasSetPointerMode);
NZ_LATE_FUNCTION(cublas, cublasSetStream);
NZ_LATE_FUNCTION(cublas, cublasDasum);
NZ_LATE_FUNCTION(cublas, cublasDaxpy);
NZ_LATE_FUNCTION(cublas, cublasDcopy);
NZ_LATE_FUNCTION(cublas, cublasDdot);
NZ_LATE_FUNCTION(cublas, cublasDscal);

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceFault(fmt::format("cuBLAS: {}: {}", call, cublasGetStatusString(status)));
}

// A matrix with one operation made ready.
class Multiply {
 public:
  Multiply(const cusparse::Handle& handle, Device device, const PeerMatrix& a, Op op)
      : handle_(handle), spmv_(handle, device, describe(a), how(a, op)) {}
  void operator()(CUstream_st* stream, const double* x, double* y) const {
    spmv_.run(handle_, stream, 1.0, x, 0.0, y);
  }

 private:
  static cusparse::Matrix describe(const PeerMatrix& a) {
    cusparseConstSpMatDescr_t m = nullptr;
    cusparse::check(cusparseCreateConstCsr(&m, a.rows, a.cols, a.nnz, a.offsets, a.columns,
                                           a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                    "cusparseCreateConstCsr");
    return cusparse::Matrix(m);
  }
  static cusparse::Spmv::How how(const PeerMatrix& a, Op op) {
    return {.op = op,
            .rows = a.rows,
            .cols = a.cols,
            .type = CUDA_R_64F,
            .algorithm = CUSPARSE_SPMV_CSR_ALG1,
            .preprocess = true};
  }
  const cusparse::Handle& handle_;
  cusparse::Spmv spmv_;
};

// cuBLAS on vectors of one length, with its scalars on the host or on the device. Device scalars
// are divided by the kernel that our own solvers use for that; cuBLAS has none.
class Blas {
 public:
  Blas(Device device, std::size_t n, bool far)
      : device_(device),
        stream_(device),
        n_(static_cast<int>(n)),
        far_(far),
        scalars_(device, 32),
        parts_(device, Sweep<double>::most_sums),
        counter_(device, 1) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream_.view().handle), "cublasSetStream");
    check(
        cublasSetPointerMode(handle_, far ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
        "cublasSetPointerMode");
    const std::vector<double> zeros(32, 0.0);
    const std::vector<unsigned> none(1, 0u);
    scalars_.upload(zeros);
    counter_.upload(none);
  }
  ~Blas() { cublasDestroy(handle_); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  CUstream_st* stream() const { return stream_.view().handle; }
  const Stream& queue() const { return stream_; }
  // A scalar where cuBLAS looks for it.
  double* scalar(double value = 0) {
    const auto i = static_cast<std::size_t>(fixed_scalars + used_++);
    host_[i] = value;
    if (far_) detail::device_copy(device_, scalars_.data() + i, &value, sizeof value, stream_);
    return far_ ? scalars_.data() + i : host_ + i;
  }
  void dot(const double* x, const double* y, double* to) {
    check(cublasDdot(handle_, n_, x, 1, y, 1, to), "cublasDdot");
  }
  void asum(const double* x, double* to) {
    check(cublasDasum(handle_, n_, x, 1, to), "cublasDasum");
  }
  void axpy(const double* a, const double* x, double* y) {
    check(cublasDaxpy(handle_, n_, a, x, 1, y, 1), "cublasDaxpy");
  }
  void scale(const double* a, double* x) {
    check(cublasDscal(handle_, n_, a, x, 1), "cublasDscal");
  }
  void copy(const double* x, double* y) {
    check(cublasDcopy(handle_, n_, x, 1, y, 1), "cublasDcopy");
  }

  // Steps on scalars, wherever they are.
  struct Step {
    ScalarOp what;
    double *out, *a, *b;
  };
  void compute(std::initializer_list<Step> steps) {
    Sweep<double> s;
    double* base = far_ ? scalars_.data() : host_;
    const auto slot = [&](const double* p) { return static_cast<std::uint16_t>(p - base); };
    for (const Step& p : steps)
      s.step[s.steps++] = {.out = slot(p.out), .a = slot(p.a), .b = slot(p.b), .what = p.what};
    if (far_)
      cuda::queue_sweep(stream(), s,
                        {.scalars = base,
                         .size = 32,
                         .log = parts_.data(),
                         .parts = parts_.data(),
                         .counter = counter_.data()});
    else
      run_steps(s.step, s.steps, base, nullptr);
  }

  // Iterations one behind the other: 10 a graph where scalars are on the device.
  double time(const PeerHow& how, const std::function<void()>& iteration) {
    constexpr int batch = 10;
    const auto some = [&] {
      for (int i = 0; i < batch; ++i) iteration();
    };
    some();
    std::unique_ptr<Replay> graph;
    if (far_) {
      stream_.wait();
      graph = cuda::capture(stream(), some);
      if (!graph) throw DeviceFault("this iteration cannot be captured");
    }
    const auto run = [&](int n) {
      for (int i = 0; i < n / batch; ++i) {
        if (graph)
          graph->queue(stream());
        else
          some();
      }
      stream_.wait();
    };
    run(how.uncounted - batch);
    const auto begin = std::chrono::steady_clock::now();
    run(how.iterations - how.uncounted);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  Device device_;
  Stream stream_;
  int n_;
  bool far_;
  DeviceArray<double> scalars_, parts_;
  DeviceArray<unsigned> counter_;
  cublasHandle_t handle_ = nullptr;
  double host_[32] = {};
  int used_ = 0;
};

DeviceArray<double> zeros(Device device, std::size_t n) {
  return {device, std::span<const double>(std::vector<double>(n, 0.0))};
}

PeerRun result(double seconds, const DeviceArray<double>& x) {
  PeerRun r{seconds, std::vector<double>(x.size())};
  x.download(r.x);
  return r;
}

}  // namespace

bool has_cusparse_solvers() { return true; }

std::string cusparse_solvers_version() {
  int major = 0;
  cublasGetProperty(MAJOR_VERSION, &major);
  return fmt::format("{}, cuBLAS {}", cusparse::version(), major);
}

PeerRun cusparse_cg(Device device, const PeerMatrix& host, std::span<const double> b,
                    const PeerHow& how) {
  const simt::DeviceScope scope(device);
  const DeviceCsr<double, std::int32_t> a(device, host);
  const cusparse::Handle handle;
  const Multiply multiply(handle, device, a.view(), Op::none);
  Blas blas(device, b.size(), how.graph);
  DeviceArray<double> x = zeros(device, b.size()), r(device, b), p(device, b), q(device, b.size());
  double *alpha = blas.scalar(), *minus = blas.scalar(), *beta = blas.scalar(),
         *rho = blas.scalar(), *next = blas.scalar(), *pq = blas.scalar(), *one = blas.scalar(1);
  blas.dot(r.data(), r.data(), rho);
  const double seconds = blas.time(how, [&] {
    multiply(blas.stream(), p.data(), q.data());
    blas.dot(p.data(), q.data(), pq);
    blas.compute({{ScalarOp::divide, alpha, rho, pq}, {ScalarOp::negate, minus, alpha, alpha}});
    blas.axpy(alpha, p.data(), x.data());
    blas.axpy(minus, q.data(), r.data());
    blas.dot(r.data(), r.data(), next);
    blas.compute({{ScalarOp::divide, beta, next, rho}, {ScalarOp::copy, rho, next, next}});
    blas.scale(beta, p.data());
    blas.axpy(one, r.data(), p.data());
  });
  return result(seconds, x);
}

PeerRun cusparse_bicg(Device device, const PeerMatrix& host, std::span<const double> b,
                      const PeerHow& how) {
  const simt::DeviceScope scope(device);
  const DeviceCsr<double, std::int32_t> a(device, host);
  std::unique_ptr<DeviceCsr<double, std::int32_t>> turned;
  if (how.stored_transpose)
    turned = std::make_unique<DeviceCsr<double, std::int32_t>>(device, transpose(host).view());
  const cusparse::Handle handle;
  const Multiply multiply(handle, device, a.view(), Op::none);
  const Multiply multiply_transposed(handle, device, turned ? turned->view() : a.view(),
                                     turned ? Op::none : Op::transpose);
  const std::size_t n = b.size();
  Blas blas(device, n, how.graph);
  DeviceArray<double> x = zeros(device, n), r(device, b), p(device, b), q(device, n), rs(device, b),
                      ps(device, b), qs(device, n);
  double *alpha = blas.scalar(), *minus = blas.scalar(), *beta = blas.scalar(),
         *rho = blas.scalar(), *next = blas.scalar(), *pq = blas.scalar(), *rr = blas.scalar(),
         *one = blas.scalar(1);
  blas.dot(r.data(), rs.data(), rho);
  const double seconds = blas.time(how, [&] {
    multiply(blas.stream(), p.data(), q.data());
    multiply_transposed(blas.stream(), ps.data(), qs.data());
    blas.dot(ps.data(), q.data(), pq);
    blas.compute({{ScalarOp::divide, alpha, rho, pq}, {ScalarOp::negate, minus, alpha, alpha}});
    blas.axpy(alpha, p.data(), x.data());
    blas.axpy(minus, q.data(), r.data());
    blas.axpy(minus, qs.data(), rs.data());
    blas.dot(r.data(), r.data(), rr);
    blas.dot(r.data(), rs.data(), next);
    blas.compute({{ScalarOp::divide, beta, next, rho}, {ScalarOp::copy, rho, next, next}});
    blas.scale(beta, p.data());
    blas.axpy(one, r.data(), p.data());
    blas.scale(beta, ps.data());
    blas.axpy(one, rs.data(), ps.data());
  });
  return result(seconds, x);
}

PeerRun cusparse_pagerank(Device device, const PeerMatrix& host, double damping,
                          const PeerHow& how) {
  const simt::DeviceScope scope(device);
  const DeviceCsr<double, std::int32_t> p(device, host);
  const cusparse::Handle handle;
  const Multiply multiply(handle, device, p.view(), Op::none);
  const auto n = static_cast<std::size_t>(host.rows);
  Blas blas(device, n, how.graph);
  const std::vector<double> alike(n, 1.0 / static_cast<double>(n)), all_ones(n, 1.0);
  DeviceArray<double> x(device, std::span(alike)), ones(device, std::span(all_ones)), t(device, n);
  double *sum = blas.scalar(), *anew = blas.scalar(), *change = blas.scalar(),
         *minus = blas.scalar(-1), *one = blas.scalar(1), *keep = blas.scalar(damping),
         *each = blas.scalar(1 / static_cast<double>(n));
  const double seconds = blas.time(how, [&] {
    multiply(blas.stream(), x.data(), t.data());
    blas.dot(t.data(), ones.data(), sum);
    blas.compute({{ScalarOp::multiply, anew, sum, keep},
                  {ScalarOp::subtract, anew, one, anew},
                  {ScalarOp::multiply, anew, anew, each}});
    blas.scale(keep, t.data());
    blas.axpy(anew, ones.data(), t.data());
    blas.axpy(minus, t.data(), x.data());
    blas.asum(x.data(), change);
    blas.copy(t.data(), x.data());
  });
  return result(seconds, x);
}

}  // namespace nz::lab::peers
