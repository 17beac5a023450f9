#include <nonzero/kernel.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>

#include "base/complex.hpp"
#include "base/no_memory.hpp"
#include "base/parallel.hpp"
#include "simt/backend.hpp"

namespace nz {
namespace {

constexpr const char* deterministic = "deterministic";

// multiply_on() as it is: on the CPU, and for products of others.
template <Value T>
class BoundCall final : public BoundProduct<T> {
 public:
  BoundCall(const Product<T>& to, StreamView stream, Op op, std::size_t x_size, std::size_t y_size)
      : BoundProduct<T>(to),
        product_(to),
        stream_(stream),
        op_(op),
        x_size_(x_size),
        y_size_(y_size) {}

 private:
  void queue(T alpha, const T* x, T beta, T* y) override {
    or_no_memory("a multiply", [&] {
      product_.multiply_on(stream_, op_, alpha, {x, x_size_}, beta, {y, y_size_});
    });
  }

  const Product<T>& product_;
  StreamView stream_;
  Op op_;
  std::size_t x_size_, y_size_;
};

void refuse_on_cpu(StreamView stream) {
  if (!stream.any_device())
    throw InvalidArgument(
        fmt::format("a stream of {} for a product on the CPU", stream.device.name()));
}

}  // namespace

Parameter deterministic_parameter(std::string_view summary) {
  return {deterministic, summary, 0, 0, 1};
}

bool Kernel::repeats(Op op, const Parameters& p) const {
  if (determinism != Determinism::on_demand) return repeats(op);
  const auto asked = p.find(deterministic);
  return asked != p.end() && asked->second == 1;
}

void Kernel::make_deterministic(Parameters& p) const {
  if (determinism == Determinism::on_demand) p.emplace(deterministic, 1);
}

bool Kernel::runs_on_device(Device::Kind kind) const {
  if (kind == Device::Kind::emulator) return emulated != PrepareTable{};
  return kind == runs_on && prepare != PrepareTable{};
}

template <Value T>
void Product<T>::multiply_on(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                             std::span<T> y) const {
  refuse_on_cpu(stream);
  multiply(op, alpha, x, beta, y);
}

// One by one. Columns whose elements lie apart go through vectors of the call's own.
template <Value T>
void Product<T>::multiply_several(StreamView stream, Op op, T alpha, DenseView<const T> x, T beta,
                                  DenseView<T> y) const {
  const bool gather = !x.has_plain_columns() && alpha != T(0), scatter = !y.has_plain_columns();
  if ((gather || scatter) && device() != cpu_device)
    throw InvalidArgument("this kernel takes several vectors column by column only");
  const auto x_rows = static_cast<std::size_t>(x.rows()),
             y_rows = static_cast<std::size_t>(y.rows());
  Array<T> from(gather ? x_rows : 0), to(scatter ? y_rows : 0);
  const auto for_rows = [](index_t rows, auto&& body) {
    parallel_ranges(rows, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) body(i);
    });
  };
  for (index_t j = 0; j < y.columns(); ++j) {
    // There may be no memory behind vectors without elements.
    std::span<const T> in{x_rows == 0 ? nullptr : x.data() + j * x.column_stride(), x_rows};
    std::span<T> out{y_rows == 0 ? nullptr : y.data() + j * y.column_stride(), y_rows};
    if (gather) {
      for_rows(x.rows(), [&](index_t i) { from[i] = x(i, j); });
      in = {from.data(), x_rows};
    }
    if (scatter) {
      if (beta != T(0)) for_rows(y.rows(), [&](index_t i) { to[i] = y(i, j); });
      out = {to.data(), y_rows};
    }
    multiply_on(stream, op, alpha, in, beta, out);
    if (scatter) for_rows(y.rows(), [&](index_t i) { y(i, j) = to[i]; });
  }
}

template <Value T>
std::unique_ptr<BoundProduct<T>> Product<T>::bind(StreamView stream, Op op, std::size_t x_size,
                                                  std::size_t y_size) const {
  if (device() == cpu_device)
    refuse_on_cpu(stream);
  else
    simt::stream_for(device(), stream);
  return std::make_unique<BoundCall<T>>(*this, stream, op, x_size, y_size);
}

void detail::throw_product_ended() {
  throw InvalidArgument(
      "what this is bound to has ended, with its plan or by new values: bind again");
}

template class Product<float>;
template class Product<double>;
template class Product<std::complex<float>>;
template class Product<std::complex<double>>;
template class Product<KernelComplex<float>>;
template class Product<KernelComplex<double>>;

Parameters Kernel::resolve(const Parameters& wanted) const {
  Parameters all;
  for (const Parameter& p : parameters) all.emplace(p.name, p.initial);
  for (const auto& [name, value] : wanted) {
    const auto known =
        std::find_if(parameters.begin(), parameters.end(),
                     [&sought = name](const Parameter& p) { return p.name == sought; });
    if (known == parameters.end())
      throw InvalidArgument(fmt::format("{} has no parameter '{}'", id(), name));
    if (value < known->min || value > known->max)
      throw InvalidArgument(fmt::format("{}: {} = {} is outside {} to {}", id(), name, value,
                                        known->min, known->max));
    all[name] = value;
  }
  return all;
}

Parameters Kernel::resolve(const Parameters& wanted, const Pattern& a) const {
  Parameters all = resolve(wanted);
  if (!fit || wanted.size() == all.size()) return all;
  const Parameters fitted = fit(a);
  const auto given = [&](const auto& p) { return wanted.contains(p.first); };
  if (std::any_of(fitted.begin(), fitted.end(), given)) return all;
  Parameters both = wanted;
  both.insert(fitted.begin(), fitted.end());
  return resolve(both);
}

}  // namespace nz
