#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <nonzero/error.hpp>
#include <nonzero/kernel.hpp>

#include "base/complex.hpp"
#include "base/no_memory.hpp"
#include "device/csr.hpp"
#include "kernels/complex_product.hpp"
#include "kernels/gpu/epilogue.hpp"
#include "kernels/gpu/parts/output.hpp"
#include "kernels/gpu/several/multiply.hpp"
#include "kernels/gpu/threads_parameter.hpp"
#include "simt/backend.hpp"
#include "simt/cache_scope.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/queued_memory.hpp"
#include "simt/scratch.hpp"
#include "simt/simt.hpp"
#include "simt/staging.hpp"

// What every GPU kernel shares, so that a kernel's file is its kernel, its launcher and its entry.
namespace nz::NZ_HOME {

template <class T>
struct Scale {
  static constexpr const char* name = "scale y";
  std::int64_t n;
  T beta;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size())
      y[i] = beta == T(0) ? T(0) : beta * y[i];
  }
};

// y = alpha s + beta y. With s = null: y = beta, wherever there are no sums to wait for.
template <class T>
struct Finish {
  static constexpr const char* name = "finish y";
  std::int64_t n;
  FactorOf<T> alpha;
  const T* s;
  T beta;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size())
      y[i] = s ? combine(alpha, s[i], beta, y + i) : beta;
  }
};

// y = beta y, for kernels that add to y, and for alpha = 0.
template <class T>
void scale(CUstream_st* stream, T beta, T* y, std::int64_t n) {
  if (beta == T(1)) return;
  launch({.blocks = blocks_for(n, 256, 1 << 16), .threads = 256, .stream = stream},
         Scale<T>{n, beta, y});
}

// The base of strategies that multiply CSR as it is.
template <Value T, Offset O>
class OnCsr {
 public:
  explicit OnCsr(const CsrView<T, O>& a) : csr_(current_device(), a) {}
  const CsrView<T, O>& a() const { return csr_.view(); }
  index_t rows() const { return a().rows; }
  index_t cols() const { return a().cols; }
  std::size_t bytes() const { return csr_.bytes(); }
  bool borrows() const { return csr_.borrowed(); }
  std::size_t matrix_bytes() const { return a().bytes(); }

 private:
  DeviceCsr<T, O> csr_;
};

// A product by a strategy, an object with
// - Strategy(const CsrView<T, O>& a, const Parameters&): a in host memory or on the current device
// - bytes() held on the device; where a multiply reads others, matrix_bytes(), or matrix_bytes(op)
// - borrows(), where it does not hold all it reads; facts(), where it has some
// - multiply(stream, alpha, x, beta, y) const: device pointers, alpha finite and not 0; queues only
// - multiply_transposed(stream, alpha, x, beta, y) const: only where it transposes
// - multiply_several(stream, alpha, x, beta, y) const, and multiply_several_transposed(), where it
//   has products of its own for several vectors: x of the first comes by rows;
//   several_scratch_size(columns), where the first writes anything but y: it then takes scratch too
// - scratch_size(), where it writes anything but y; both then take the scratch of their stream too
// - fuses(), fused_parts() and multiply_fused(stream, alpha, x, beta, y, [scratch,] end) const:
//   where it can end a product in the same pass; so many parts of its sums are left for end.parts
// alpha is the last factor of a sum, or of a product that is added to y by itself: alpha * x first
// could leave the range of T where the result does not.
// For complex values alpha and x come as FactorOf<T> and VectorOf<T>, and there are no products of
// its own for several vectors.
template <Value T, class Strategy>
class GpuProduct final : public Product<T> {
 public:
  template <Offset O>
  GpuProduct(const CsrView<T, O>& a, const Parameters& p)
      : device_(current_device()), rows_(a.rows), cols_(a.cols), s_(checked(a), p) {}
  // Of something else than one matrix: the lengths of y and of x, and what the strategy is made of.
  template <class... From>
  GpuProduct(std::in_place_t, std::int64_t rows, std::int64_t cols, From&&... from)
      : device_(current_device()), rows_(rows), cols_(cols), s_(std::forward<From>(from)...) {}
  Strategy& strategy() { return s_; }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    multiply_on({}, op, alpha, x, beta, y);
  }

  void multiply_on(StreamView where, Op op, T alpha, std::span<const T> x, T beta,
                   std::span<T> y) const override {
    CUstream_st* stream = simt::stream_for(device_, where);
    const simt::DeviceScope scope(device_);
    simt::Backend& b = simt::backend(device_);
    const T* from = x.data();
    T* to = y.data();
    const bool far_x = alpha != T(0) && !x.empty() && !b.owns(from);
    const bool far_y = !y.empty() && !b.owns(to);
    if (!far_x && alpha != T(0)) require_aligned("x", x.data());
    if (!far_y) require_aligned("y", y.data());
    std::unique_lock<std::mutex> lock(staging_, std::defer_lock);
    if (far_x || far_y) lock.lock();  // until y is there: the buffers have one owner at a time
    if (far_x) from = static_cast<const T*>(x_.stage(from, x.size_bytes(), true, stream));
    if (far_y) to = static_cast<T*>(y_.stage(to, y.size_bytes(), beta != T(0), stream));
    run(device_, stream, alpha, from, beta, to, static_cast<std::int64_t>(y.size()),
        [&](T by, const T* in, T keep, T* out) { queue(stream, op, by, in, keep, out); });
    if (far_y)
      y_.unstage(y.data(), y.size_bytes(), stream);
    else if (far_x)
      b.wait(stream);  // its buffer is free again
  }

  bool fuses([[maybe_unused]] Op op) const override {
    if constexpr (has_fused)
      return op == Op::none && s_.fuses();
    else
      return false;
  }
  void multiply_fused(StreamView where, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<T> y, const Epilogue<T>& end) const override {
    if constexpr (has_fused) {
      const bool here = !x.empty() && simt::backend(device_).owns(x.data());
      if (fuses(op) && here && !y.empty() && alpha != T(0) && std::isfinite(alpha)) {
        check_epilogue<T>(device_, y, end);
        CUstream_st* stream = simt::stream_for(device_, where);
        const simt::DeviceScope scope(device_);
        const FusedSums sums(device_, stream, end.sums() ? s_.fused_parts() : 0);
        const FusedEnd<T> fused = fused_end(end, y.data(), sums.parts());
        const simt::CacheScope cache(stays(op));
        with_scratch(stream, [&](const auto&... scratch) {
          s_.multiply_fused(stream, alpha, x.data(), beta, y.data(), scratch..., fused);
        });
        return sums.add_up(end.dot, end.norm);
      }
    }
    Product<T>::multiply_fused(where, op, alpha, x, beta, y, end);
  }

  void multiply_several(StreamView where, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    if (is_transposed(op) && !transposes) refuse_transposed();
    CUstream_st* stream = simt::stream_for(device_, where);
    const simt::DeviceScope scope(device_);
    simt::Backend& b = simt::backend(device_);
    if (alpha != T(0) && !x.empty() && b.owns(x.data())) require_aligned("X", x.data());
    if (!y.empty() && b.owns(y.data())) require_aligned("Y", y.data());
    const simt::CacheScope cache(stays(op, y.columns()));
    NZ_HOME::multiply_several(device_, stream, Calls(*this, op), alpha, x, beta, y);
  }
  bool has_several(Op op) const override { return is_transposed(op) ? several_t : several_n; }

  std::unique_ptr<BoundProduct<T>> bind(StreamView where, Op op, std::size_t,
                                        std::size_t y_size) const override {
    if (is_transposed(op) && !transposes) refuse_transposed();
    return std::make_unique<Bound>(*this, simt::stream_for(device_, where), op, y_size);
  }

  Device device() const override { return device_; }
  std::size_t bytes() const override {
    return s_.bytes() + scratch_.bytes() + several_.bytes() + x_.bytes() + y_.bytes();
  }
  bool borrows() const override {
    if constexpr (requires { s_.borrows(); })
      return s_.borrows();
    else
      return false;
  }
  std::size_t traffic(Op op, bool reads_y) const override {
    const std::int64_t again = !reads_y ? 0 : is_transposed(op) ? cols_ : rows_;
    const std::size_t vectors = static_cast<std::size_t>(rows_ + cols_ + again) * sizeof(T);
    return matrix_bytes(op) + vectors;
  }
  Facts facts() const override {
    if constexpr (requires { s_.facts(); })
      return s_.facts();
    else
      return {};
  }

 private:
  // Its calls hold no lock and ask nothing of the backend or the runtime: whatever a launch needs
  // is found here.
  class Bound final : public BoundProduct<T> {
   public:
    Bound(const GpuProduct& to, CUstream_st* stream, Op op, std::size_t n)
        : BoundProduct<T>(to),
          device_(to.device_),
          s_(to.s_),
          stream_(stream),
          op_(op),
          n_(static_cast<std::int64_t>(n)),
          stays_(to.stays(op)),
          scratch_(to.device_, scratch_size(to.s_)) {}
    std::size_t bytes() const override { return scratch_.bytes(); }

   private:
    void queue(T alpha, const T* x, T beta, T* y) override {
      or_no_memory("a multiply", [&] {
        const simt::LaunchScope scope(device_);
        const simt::CacheScope cache(stays_);
        // A product that failed may have left its counters anywhere.
        if (!clean_) scratch_.clear(stream_);
        clean_ = false;
        run(device_, stream_, alpha, x, beta, y, n_, [&](T a, const T* in, T b, T* out) {
          if constexpr (has_scratch)
            with(s_, op_, stream_, a, in, b, out, scratch_.scratch());
          else
            with(s_, op_, stream_, a, in, b, out);
        });
        clean_ = true;
      });
    }

    Device device_;
    const Strategy& s_;
    CUstream_st* stream_;
    Op op_;
    bool clean_ = true;
    std::int64_t n_;
    bool stays_;
    simt::OwnScratch scratch_;
  };

  std::size_t matrix_bytes(Op op) const {
    if constexpr (requires { s_.matrix_bytes(op); })
      return s_.matrix_bytes(op);
    else if constexpr (requires { s_.matrix_bytes(); })
      return s_.matrix_bytes();
    else
      return s_.bytes();
  }

  class Calls final : public SeveralCalls<T> {
   public:
    Calls(const GpuProduct& to, Op op) : to_(to), op_(op) {}
    bool own() const override { return to_.has_several(op_); }
    bool wants_rows() const override { return !is_transposed(op_); }
    bool takes_columns([[maybe_unused]] int columns) const override {
      if constexpr (requires { to_.s_.takes_columns(columns); })
        return !is_transposed(op_) && to_.s_.takes_columns(columns);
      else
        return false;
    }
    bool in_registers([[maybe_unused]] int columns) const override {
      if constexpr (requires { to_.s_.in_registers(columns); })
        return !is_transposed(op_) && to_.s_.in_registers(columns);
      else
        return false;
    }
    bool wants_rows_of_y([[maybe_unused]] int columns) const override {
      if constexpr (requires { to_.s_.wants_rows_of_y(columns); })
        return to_.s_.wants_rows_of_y(columns);
      else
        return false;
    }
    bool dear_to_begin() const override {
      return requires { Strategy::several_through_shared; };
    }
    std::size_t matrix_bytes() const override { return to_.matrix_bytes(op_); }
    void several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                 const Several<T>& y) const override {
      if constexpr (several_n)
        if (!is_transposed(op_)) to_.queue_several(stream, alpha, x, beta, y);
      if constexpr (several_t)
        if (is_transposed(op_)) to_.s_.multiply_several_transposed(stream, alpha, x, beta, y);
    }
    void one(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const override {
      to_.queue(stream, op_, alpha, x, beta, y);
    }

   private:
    const GpuProduct& to_;
    Op op_;
  };

  // each(alpha, x, beta, y) is the strategy's product, for a finite alpha that is not 0.
  template <class Each>
  static void run(Device device, CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                  std::int64_t n, Each&& each) {
    if (n == 0) return;
    if (alpha == T(0))
      scale(stream, beta, y, n);
    else if (is_finite(alpha))
      each(alpha, x, beta, y);
    else
      multiply_by_no_number(device, stream, alpha, x, beta, y, n, each);
  }

  // Whether the matrix comes from the cache when it is multiplied again: with so many vectors it
  // fills three quarters of it at most. Beyond that it throws out itself and x.
  bool stays(Op op, std::int64_t vectors = 1) const {
    const std::size_t all = matrix_bytes(op) + static_cast<std::size_t>(vectors) * sizeof(T) *
                                                   static_cast<std::size_t>(rows_ + cols_);
    return all <= cache_bytes_ / 4 * 3;
  }

  void queue(CUstream_st* stream, Op op, T alpha, const T* x, T beta, T* y) const {
    const simt::CacheScope cache(stays(op));
    with_scratch(stream, [&](const auto&... scratch) {
      with(s_, op, stream, alpha, x, beta, y, scratch...);
    });
  }

  // each(), or each(scratch) where the strategy has one.
  template <class Each>
  void with_scratch([[maybe_unused]] CUstream_st* stream, Each&& each) const {
    if constexpr (has_scratch) {
      if (!scratch_.empty()) {
        const simt::StreamScratch::Lease lease(scratch_, stream);
        each(lease.scratch());
      } else {
        each(simt::Scratch{});
      }
    } else {
      each();
    }
  }

  void queue_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                     const Several<T>& y) const {
    if constexpr (several_scratch) {
      simt::StreamScratch& scratch =
          several_.for_columns(y.columns, [&](int n) { return s_.several_scratch_size(n); });
      if (scratch.empty()) return s_.multiply_several(stream, alpha, x, beta, y, simt::Scratch{});
      const simt::StreamScratch::Lease lease(scratch, stream);
      s_.multiply_several(stream, alpha, x, beta, y, lease.scratch());
    } else {
      s_.multiply_several(stream, alpha, x, beta, y);
    }
  }

  template <class... Arguments>
  static void with(const Strategy& s, Op op, CUstream_st* stream, T alpha, const T* x,
                   const Arguments&... arguments) {
    using Side = detail::KernelSide<T>;
    const FactorOf<T> factor = Side::factor(alpha, is_conjugated(op));
    const VectorOf<T> from = Side::vector(x, is_conjugated(op));
    if (!is_transposed(op))
      s.multiply(stream, factor, from, arguments...);
    else if constexpr (transposes)
      s.multiply_transposed(stream, factor, from, arguments...);
    else
      refuse_transposed();
  }
  // A complex number is loaded at once, from a multiple of its size; memory of the host is copied.
  static void require_aligned([[maybe_unused]] const char* what, [[maybe_unused]] const T* p) {
    if constexpr (ComplexValue<T>)
      if (reinterpret_cast<std::uintptr_t>(p) % sizeof(T) != 0)
        throw InvalidArgument(std::string(what) + " is not at a multiple of " +
                              std::to_string(sizeof(T)) +
                              " bytes, as complex numbers on a GPU are");
  }
  template <Offset O>
  static const CsrView<T, O>& checked(const CsrView<T, O>& a) {
    if constexpr (ComplexValue<T>)
      if (a.nnz > 0 && lies_on(current_device(), a))
        require_aligned("the array of values", a.values);
    return a;
  }
  [[noreturn]] static void refuse_transposed() {
    throw InvalidArgument("this kernel has no transposed product");
  }

  // NaN makes all of y NaN. Infinity times a sum of 0 is NaN too, an empty row's included, so that
  // the sums must be there before it is multiplied: this alone takes memory for them.
  template <class Each>
  static void multiply_by_no_number(Device device, CUstream_st* stream, T alpha, const T* x, T beta,
                                    T* y, std::int64_t n, Each&& each) {
    Launch config = one_thread_each(n, 1 << 16);
    config.stream = stream;
    const FactorOf<T> factor = detail::KernelSide<T>::factor(alpha, false);
    if (is_nan(alpha)) return launch(config, Finish<T>{n, factor, nullptr, all_nan(alpha), y});
    const simt::QueuedMemory sums(device, static_cast<std::size_t>(n) * sizeof(T), stream);
    T* const s = sums.template as<T>();
    each(T(1), x, T(0), s);
    launch(config, Finish<T>{n, factor, s, beta, y});
  }

  static constexpr bool has_scratch = requires(const Strategy& s) { s.scratch_size(); };
  // Written out: for a pack of arguments nvcc 13.0 finds that no strategy can.
  static constexpr bool transposes =
      requires(const Strategy& s, CUstream_st* stream, FactorOf<T> a, VectorOf<T> x, T b, T* y) {
    s.multiply_transposed(stream, a, x, b, y);
  }
  || requires(const Strategy& s, CUstream_st* stream, FactorOf<T> a, VectorOf<T> x, T b, T* y,
              const simt::Scratch& scratch) {
    s.multiply_transposed(stream, a, x, b, y, scratch);
  };
  static constexpr bool has_fused = !ComplexValue<T> && requires(const Strategy& s) {
    s.fused_parts();
  };
  static constexpr bool several_n =
      !ComplexValue<T> &&
      (
          requires(const Strategy& s, CUstream_st* stream, T a, const Several<const T>& x,
                   const Several<T>& y) { s.multiply_several(stream, a, x, a, y); } ||
          requires(const Strategy& s, CUstream_st* stream, T a, const Several<const T>& x,
                   const Several<T>& y, const simt::Scratch& scratch) {
            s.multiply_several(stream, a, x, a, y, scratch);
          });
  static constexpr bool several_scratch = requires(const Strategy& s) {
    s.several_scratch_size(1);
  };
  static constexpr bool several_t =
      !ComplexValue<T> && requires(const Strategy& s, CUstream_st* stream, T a,
                                   const Several<const T>& x, const Several<T>& y) {
    s.multiply_several_transposed(stream, a, x, a, y);
  };
  static simt::ScratchSize scratch_size(const Strategy& s) {
    if constexpr (has_scratch)
      return s.scratch_size();
    else
      return {};
  }

  Device device_;
  std::int64_t rows_, cols_;
  Strategy s_;
  std::size_t cache_bytes_ = simt::backend(device_).info().cache_bytes;
  mutable simt::StreamScratch scratch_{device_, scratch_size(s_)};
  mutable simt::SeveralScratch several_{device_};
  mutable std::mutex staging_;
  mutable simt::Staging x_{device_}, y_{device_};
};

template <class Strategy, Value T, Offset O>
std::unique_ptr<Product<T>> prepare_gpu_one(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<GpuProduct<T, Strategy>>(a, p);
}

// `prepare` for all four types.
template <template <class, class> class Strategy>
PrepareTable prepare_gpu() {
  using I = std::int32_t;
  using L = std::int64_t;
  return {prepare_gpu_one<Strategy<float, I>, float, I>,
          prepare_gpu_one<Strategy<float, L>, float, L>,
          prepare_gpu_one<Strategy<double, I>, double, I>,
          prepare_gpu_one<Strategy<double, L>, double, L>};
}

// The same for strategies to which the offsets' type matters only while they convert.
template <template <class> class Strategy>
PrepareTable prepare_gpu() {
  using I = std::int32_t;
  using L = std::int64_t;
  return {prepare_gpu_one<Strategy<float>, float, I>, prepare_gpu_one<Strategy<float>, float, L>,
          prepare_gpu_one<Strategy<double>, double, I>,
          prepare_gpu_one<Strategy<double>, double, L>};
}

// The same for complex types too.
template <template <class, class> class Strategy>
PrepareTable prepare_gpu_and_complex() {
  PrepareTable all = prepare_gpu<Strategy>();
  add_complex(all, []<class T, Offset O>(const CsrView<T, O>& a, const Parameters& p) {
    return prepare_gpu_one<Strategy<T, O>>(a, p);
  });
  return all;
}
template <template <class> class Strategy>
PrepareTable prepare_gpu_and_complex() {
  PrepareTable all = prepare_gpu<Strategy>();
  add_complex(all, []<class T, Offset O>(const CsrView<T, O>& a, const Parameters& p) {
    return prepare_gpu_one<Strategy<T>>(a, p);
  });
  return all;
}

}  // namespace nz::NZ_HOME
