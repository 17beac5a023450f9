#pragma once
#include <cstddef>

#include "lab/peers/cusparse.hpp"

// The types of the functions cusparseSpMVOp*, which are looked up in the library that was loaded:
// it may be newer than the header. Headers from 12.8.1 on declare them
// (CUSPARSE_ENABLE_EXPERIMENTAL_API); for older ones they are written down here as cusparse.h
// of 12.8.6 has them. The functions of 12.7 have the same names and take other arguments: they know
// no algorithms.
namespace nz::lab::peers::cusparse::spmvop {

inline constexpr Version first_version{12, 8, 1};

#if CUSPARSE_VERSION >= 12801

using Algorithm = ::cusparseSpMVOpAlg_t;
using Descr = ::cusparseSpMVOpDescr;
using Plan = ::cusparseSpMVOpPlan;
using BufferSize = decltype(::cusparseSpMVOp_bufferSize);
using CreateDescr = decltype(::cusparseSpMVOp_createDescr);
using DestroyDescr = decltype(::cusparseSpMVOp_destroyDescr);
using CreatePlan = decltype(::cusparseSpMVOp_createPlan);
using DestroyPlan = decltype(::cusparseSpMVOp_destroyPlan);
using Multiply = decltype(::cusparseSpMVOp);
inline constexpr Algorithm algorithm_1 = CUSPARSE_SPMVOP_ALG1, algorithm_2 = CUSPARSE_SPMVOP_ALG2;

#else

enum Algorithm : unsigned { algorithm_1 = 1, algorithm_2 = 2 };
struct Descr;
struct Plan;
using BufferSize = cusparseStatus_t(cusparseHandle_t, cusparseOperation_t,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cudaDataType,
                                    Algorithm, std::size_t*);
using CreateDescr = cusparseStatus_t(cusparseHandle_t, Descr**, cusparseOperation_t,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cudaDataType,
                                     Algorithm, void* buffer);
using DestroyDescr = cusparseStatus_t(Descr*);
using CreatePlan = cusparseStatus_t(cusparseHandle_t, Descr*, Plan**, const void* code,
                                    std::size_t code_size);
using DestroyPlan = cusparseStatus_t(Plan*);
using Multiply = cusparseStatus_t(cusparseHandle_t, Plan*, const void* alpha, const void* beta,
                                  cusparseConstDnVecDescr_t x, cusparseConstDnVecDescr_t y,
                                  cusparseDnVecDescr_t z);

#endif

}  // namespace nz::lab::peers::cusparse::spmvop
