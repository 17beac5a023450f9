#include "lab/peers/cusparse_complex.hpp"

#include <algorithm>
#include <complex>

#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "lab/peers/cusparse.hpp"
#include "simt/cuda_error.hpp"

namespace nz::lab::peers {
namespace {

using namespace cusparse;

struct Algorithm {
  const char* name;
  cusparseSpMVAlg_t algorithm;
  bool coo;
};
constexpr Algorithm algorithms[] = {{"peer/cusparse/csr-alg1-pre", CUSPARSE_SPMV_CSR_ALG1, false},
                                    {"peer/cusparse/csr-alg2-pre", CUSPARSE_SPMV_CSR_ALG2, false},
                                    {"peer/cusparse/coo-alg1-pre", CUSPARSE_SPMV_COO_ALG1, true},
                                    {"peer/cusparse/coo-alg2-pre", CUSPARSE_SPMV_COO_ALG2, true}};

cusparseOperation_t complex_operation(Op op) {
  return op == Op::conjugate_transpose ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE : operation(op);
}

template <class T>
class ComplexSpmv final : public ComplexPeer {
 public:
  ComplexSpmv(const Algorithm& by, Device device, const CsrView<T, std::int32_t>& a,
              std::span<const std::int32_t> offsets, Op op, const T* x, T* y)
      : algorithm_(by.algorithm), op_(complex_operation(op)) {
    cusparseConstSpMatDescr_t m = nullptr;
    constexpr cudaDataType type = sizeof(T) == 8 ? CUDA_C_32F : CUDA_C_64F;
    if (by.coo) {
      std::vector<std::int32_t> rows(static_cast<std::size_t>(a.nnz));
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        std::fill(rows.begin() + offsets[i], rows.begin() + offsets[i + 1],
                  static_cast<std::int32_t>(i));
      rows_ = {device, std::span<const std::int32_t>(rows)};
      check(cusparseCreateConstCoo(&m, a.rows, a.cols, a.nnz, rows_.data(), a.columns, a.values,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
            "cusparseCreateConstCoo");
    } else {
      check(cusparseCreateConstCsr(&m, a.rows, a.cols, a.nnz, a.offsets, a.columns, a.values,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                   type),
            "cusparseCreateConstCsr");
    }
    matrix_ = Matrix(m);
    x_ = vector_over(const_cast<T*>(x), is_transposed(op) ? a.rows : a.cols, type);
    y_ = vector_over(y, is_transposed(op) ? a.cols : a.rows, type);
    const cusparseHandle_t h = handle_.on(nullptr);
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(h, op_, &one_, matrix_.get(), x_.get(), &zero_, y_.get(), type,
                                  algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_ = {device, std::max<std::size_t>(bytes, 1)};
    check(cusparseSpMV_preprocess(h, op_, &one_, matrix_.get(), x_.get(), &zero_, y_.get(), type,
                                  algorithm_, buffer_.data()),
          "cusparseSpMV_preprocess");
    queue(nullptr);
    simt::check_cuda(cudaStreamSynchronize(nullptr), "cusparseSpMV");
  }
  void multiply(StreamView stream) const override { queue(stream.handle); }

 private:
  void queue(CUstream_st* stream) const {
    check(cusparseSpMV(handle_.on(stream), op_, &one_, matrix_.get(), x_.get(), &zero_, y_.get(),
                       sizeof(T) == 8 ? CUDA_C_32F : CUDA_C_64F, algorithm_,
                       const_cast<std::byte*>(buffer_.data())),
          "cusparseSpMV");
  }

  cusparseSpMVAlg_t algorithm_;
  cusparseOperation_t op_;
  T one_{1}, zero_{0};
  DeviceArray<std::int32_t> rows_;
  Handle handle_;
  Matrix matrix_;
  Vector x_, y_;
  DeviceArray<std::byte> buffer_;
};

}  // namespace

std::vector<std::string> cusparse_complex_names() {
  std::vector<std::string> all;
  for (const Algorithm& a : algorithms) all.push_back(find_kernel(a.name).id());  // of real numbers
  return all;
}

std::string cusparse_complex_version() { return std::string(version()); }

template <ComplexValue T>
std::unique_ptr<ComplexPeer> cusparse_complex(std::string_view name, Device device,
                                              const CsrView<T, std::int32_t>& a,
                                              std::span<const std::int32_t> offsets, Op op,
                                              const T* x, T* y) {
  const auto* const by = std::find_if(std::begin(algorithms), std::end(algorithms),
                                      [&](const Algorithm& one) { return one.name == name; });
  if (by == std::end(algorithms)) throw InvalidArgument("no such product of cuSPARSE");
  return std::make_unique<ComplexSpmv<T>>(*by, device, a, offsets, op, x, y);
}

template std::unique_ptr<ComplexPeer> cusparse_complex(
    std::string_view, Device, const CsrView<std::complex<float>, std::int32_t>&,
    std::span<const std::int32_t>, Op, const std::complex<float>*, std::complex<float>*);
template std::unique_ptr<ComplexPeer> cusparse_complex(
    std::string_view, Device, const CsrView<std::complex<double>, std::int32_t>&,
    std::span<const std::int32_t>, Op, const std::complex<double>*, std::complex<double>*);

}  // namespace nz::lab::peers
