#pragma once
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nonzero/dense.hpp>
#include <nonzero/device.hpp>
#include <nonzero/epilogue.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// A tunable number of a kernel.
struct Parameter {
  std::string_view name;
  std::string_view summary;
  std::int64_t initial = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// Values for a kernel's parameters, by name; complete and in range once resolved.
using Parameters = std::map<std::string, std::int64_t, std::less<>>;

// What a prepared matrix has to tell of itself, by name: "block_rows", "fill_ratio", "registers".
using Facts = std::map<std::string, double, std::less<>>;

namespace detail {
// The end of a product, as those learn of it that are bound to it.
class Lifetime {
 public:
  Lifetime() : there_(std::make_shared<bool>(true)) {}
  Lifetime(const Lifetime&) : Lifetime() {}
  // Each has its own, whatever is assigned. NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  Lifetime& operator=(const Lifetime&) { return *this; }
  ~Lifetime() { *there_ = false; }
  std::shared_ptr<const bool> watched() const { return there_; }

 private:
  std::shared_ptr<bool> there_;
};
[[noreturn]] void throw_product_ended();
}  // namespace detail

template <Value T>
class Product;

// One product of a prepared matrix, op and stream chosen once, for the shortest way from the host
// to a GPU: a call launches, and that is all. It takes no lock, asks the CUDA runtime nothing and
// allocates nothing (but for an infinite alpha); scratch memory is the object's own. Bits are
// those of multiply(). On the CPU it is multiply() itself.
//
// What multiply() looks at is the caller's word here; where it is not kept everything is undefined:
// - x and y lie in the memory of the product's device (on the CPU: of the host), are as long as op
//   asks for, and do not overlap;
// - that device is current in the calling thread, as cudaSetDevice() makes it;
// - the stream is there, and while it is captured the caller knows: then calls become part of the
//   graph, which needs the object as long as it runs;
// - work of one object is ordered: one thread at a time calls it, and a graph with its calls runs
//   neither beside others of the object's calls nor beside itself. Threads, streams and graphs that
//   shall run at once have an object each.
// What ends the product (the plan's end, update_values() unless the plan reads the new values in
// place) ends what is bound to it: enqueue() then throws InvalidArgument, the destructor is fine.
// As with the plan's own calls, that must be alone. The object's end waits for the device.
template <Value T>
class BoundProduct {
 public:
  virtual ~BoundProduct() = default;
  BoundProduct(const BoundProduct&) = delete;
  BoundProduct& operator=(const BoundProduct&) = delete;

  // y = alpha op(A) x + beta y, queued. Scalars mean what they mean to multiply(). Throws
  // DeviceFault where a launch fails.
  void enqueue(T alpha, const T* x, T beta, T* y) {
    if (!*there_) detail::throw_product_ended();
    queue(alpha, x, beta, y);
  }

  // Scratch memory on the device, beyond what the plan has.
  virtual std::size_t bytes() const { return 0; }

 protected:
  explicit BoundProduct(const Product<T>& to) : there_(to.lifetime_.watched()) {}

 private:
  virtual void queue(T alpha, const T* x, T beta, T* y) = 0;

  std::shared_ptr<const bool> there_;
};

// A matrix prepared for one kernel, on the number of threads that was set then. Several threads may
// multiply with it at the same time. multiply() allocates nothing, but for what is said below: it
// may use scratch memory made before.
template <Value T>
class Product {
 public:
  virtual ~Product() = default;

  // y = alpha op(A) x + beta y. Lengths are right and x and y apart: the plan has checked.
  // beta = 0 never reads y; alpha = 0 never reads A or x. Otherwise the formula holds on every
  // element of y, those of empty rows too: alpha = NaN makes all of them NaN, and an infinite alpha
  // makes NaN of a sum of 0. Sums that an infinite alpha waits for take memory for the call.
  // On a GPU: device spans are queued on the default stream; with host spans it is multiply_on()'s
  // slow way.
  virtual void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const = 0;

  // The same on a stream of the product's device (InvalidArgument for another's). With device spans
  // it allocates nothing, waits for nothing and can be captured in a CUDA graph, but for this:
  // where the product has scratch memory, that is the first stream's; a further stream, and every
  // capture, gets its own, made at the first multiply there (docs/gpu.md). Host spans are
  // slow: they go through buffers, made at the first such call, such calls take turns, and each
  // returns when y is there.
  virtual void multiply_on(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                           std::span<T> y) const;

  // Y = alpha op(A) X + beta Y for several vectors, as multiply_on() does for one: the same rules
  // for scalars, streams, captures and host memory. Where the product has none of its own for
  // several (has_several), they are multiplied one by one. Memory for X or Y in another layout is
  // taken for the call, in the stream's order; scratch memory for parts of rows is made at a
  // stream's first call with so many vectors, 4, 16, 64 and so on.
  virtual void multiply_several(StreamView stream, Op op, T alpha, DenseView<const T> x, T beta,
                                DenseView<T> y) const;
  // Whether op has a product of its own for several vectors, which reads the matrix once for many.
  virtual bool has_several(Op) const { return false; }

  // multiply_on() and then what `end` says of y. Where it fuses(op) that is one pass; elsewhere,
  // and for an alpha of 0 or one that is not finite, a sweep over y follows. On a GPU the sums take
  // memory for the call, in the stream's order. Throws InvalidArgument where vectors or results do
  // not lie on the product's device.
  virtual void multiply_fused(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                              std::span<T> y, const Epilogue<T>& end) const;
  // Whether op does the epilogue where it makes y, so that y is not read again.
  virtual bool fuses(Op) const { return false; }

  // multiply_on() for many calls with raw pointers: op, stream and lengths are settled here. Throws
  // InvalidArgument for another device's stream and for an op that the kernel lacks, NoResource
  // where memory is short. May be called while a graph is captured.
  virtual std::unique_ptr<BoundProduct<T>> bind(StreamView stream, Op op, std::size_t x_size,
                                                std::size_t y_size) const;

  virtual Device device() const { return cpu_device; }

  // What it holds beyond the CSR arrays it was prepared from.
  virtual std::size_t bytes() const = 0;

  // Whether it reads those CSR arrays in place, so that they must outlive it.
  virtual bool borrows() const = 0;

  // The byte model: what one multiply must move at least, each array once.
  virtual std::size_t traffic(Op op, bool reads_y) const = 0;

  // For people and records; nothing depends on them.
  virtual Facts facts() const { return {}; }

 private:
  friend class BoundProduct<T>;
  detail::Lifetime lifetime_;
};

// From host memory, or, on a GPU, from that device's. Trusts its arrays: prepare (plan.hpp) looks.
template <Value T, Offset O>
using Prepare = std::unique_ptr<Product<T>> (*)(const CsrView<T, O>& a, const Parameters& p);

// One `prepare` for each type a kernel can take, null where it cannot: four for real numbers, four
// for complex ones.
struct PrepareTable
    : std::tuple<
          Prepare<float, std::int32_t>, Prepare<float, std::int64_t>, Prepare<double, std::int32_t>,
          Prepare<double, std::int64_t>, Prepare<std::complex<float>, std::int32_t>,
          Prepare<std::complex<float>, std::int64_t>, Prepare<std::complex<double>, std::int32_t>,
          Prepare<std::complex<double>, std::int64_t>> {
  PrepareTable() = default;
  PrepareTable(Prepare<float, std::int32_t> f32, Prepare<float, std::int64_t> f32_wide,
               Prepare<double, std::int32_t> f64, Prepare<double, std::int64_t> f64_wide)
      : tuple(f32, f32_wide, f64, f64_wide, nullptr, nullptr, nullptr, nullptr) {}

  template <Value T, Offset O>
  Prepare<T, O> of() const {
    return std::get<Prepare<T, O>>(*this);
  }
  bool has(ValueType t) const {
    switch (t) {
      case ValueType::f32:
        return std::get<0>(*this) || std::get<1>(*this);
      case ValueType::f64:
        return std::get<2>(*this) || std::get<3>(*this);
      case ValueType::c64:
        return std::get<4>(*this) || std::get<5>(*this);
      case ValueType::c128:
        break;
    }
    return std::get<6>(*this) || std::get<7>(*this);
  }
};

// Values for some parameters that suit a matrix, from a short look at where its nonzeros are.
struct Pattern;
using Fit = Parameters (*)(const Pattern& a);

// The matrix with the zeros that a format fills in as stored entries. A kernel that multiplies
// such zeros turns an infinite x into NaN where plain CSR would not; the check must know.
using WithFill = Csr<double, std::int64_t> (*)(const CsrView<double, std::int64_t>& a,
                                               const Parameters& p);

// Why a kernel cannot take parameters that are each in range; empty when it can. Preparing with
// them throws Refused with that text.
using Declines = std::string (*)(const Parameters& p);

// Which products of a kernel give the same bits whenever they are repeated, on the same device and
// the same number of threads.
enum class Determinism : char {
  never,      // sums are added up in any order
  n_only,     // T adds to y with atomics, in any order
  always,     // N and T
  on_demand,  // N and T where the kernel's parameter deterministic_parameter() is 1, else neither
};

// The parameter that kernels with Determinism::on_demand have, and no others.
Parameter deterministic_parameter(std::string_view summary);

// How narrow a kernel stores values that a narrower type holds exactly.
enum class Narrowing : char {
  none,
  floats,  // doubles as floats
  shorts,  // and floats in 16 bits
};

// A registry entry: all that is known of a kernel, in one place.
struct Kernel {
  std::string_view family;    // "cpu", "gpu"; "peer" for other libraries
  std::string_view format;    // "csr"
  std::string_view strategy;  // "serial"
  bool transposes = false;    // can also do op = T, and H where it takes complex values
  bool several = false;       // reads the matrix once for several vectors, at least for N
  Determinism determinism = Determinism::never;
  bool threaded = false;  // uses more than one CPU thread
  // Entries whose rounding a row may share, because it is a difference of prefix sums over such a
  // chunk; their NaN and infinities spread too. The check then widens its bound (truth.hpp).
  int shared_rounding = 0;
  std::string_view source;  // "chirila2025 §6.2.2", or "own"
  std::string_view summary;
  std::vector<Parameter> parameters{};
  Device::Kind runs_on = Device::Kind::cpu;
  PrepareTable prepare{};
  PrepareTable emulated{};  // the same on the emulator, for those that run on CUDA
  WithFill with_fill = nullptr;
  Declines declines = nullptr;  // null: it takes all
  Fit fit = nullptr;
  Narrowing narrowing = Narrowing::none;
  // A CPU kernel that brings a part of x near and keeps it, so that it is spared most of what
  // fetching x entry by entry takes.
  bool brings_x_near = false;
  // A CPU kernel that goes by slices or blocks, whose rows end together: a processor has far fewer
  // ends to learn than there are rows.
  bool rows_end_together = false;

  std::string id() const {
    return std::string(family) + '/' + std::string(format) + '/' + std::string(strategy);
  }
  bool supports(Op op) const { return !is_transposed(op) || transposes; }
  bool supports(ValueType t) const { return prepare.has(t) || emulated.has(t); }
  // Whether op gives the same bits again, whatever the parameters.
  bool repeats(Op op) const {
    return determinism == Determinism::always ||
           (determinism == Determinism::n_only && !is_transposed(op));
  }
  // The same with these parameters.
  bool repeats(Op op, const Parameters& p) const;
  // Adds to p what makes every product give the same bits again, where parameters decide that and p
  // does not say otherwise.
  void make_deterministic(Parameters& p) const;
  // Whether op may take subnormals for 0: atomics of CUDA devices do so in float.
  bool flushes(Op op, ValueType t, Device::Kind kind) const {
    const bool single = t == ValueType::f32 || t == ValueType::c64;
    return kind == Device::Kind::cuda && single && !repeats(op);
  }

  bool runs_on_device(Device::Kind kind) const;
  // Where it runs when nobody says: the CPU, or cuda:0. Never the emulator.
  Device home() const { return {runs_on, 0}; }
  // `prepare` for that kind of device; null where the kernel cannot do the types there.
  template <Value T, Offset O>
  Prepare<T, O> prepare_for(Device::Kind kind) const {
    return (kind == Device::Kind::emulator ? emulated : prepare).template of<T, O>();
  }

  // `wanted` completed with the initial values. Throws InvalidArgument for a name the kernel does
  // not have or a value out of range.
  Parameters resolve(const Parameters& wanted) const;
  // The same, but what `fit` says of the matrix goes before the initial values. Its values belong
  // together: where one of them is wanted otherwise, none is taken.
  Parameters resolve(const Parameters& wanted, const Pattern& a) const;
};

}  // namespace nz
