#include "product.hpp"

#include <functional>
#include <limits>
#include <shared_mutex>

#include <nanobind/stl/complex.h>

#include "quick.hpp"

namespace nz::python {
namespace {

// The careful way: looks at everything, and says what is wrong.
template <Value T>
void multiply(const Core<T>& c, nb::handle x, nb::handle y, Factor<T> alpha, Factor<T> beta,
              bool transposed, std::uintptr_t stream, bool conjugated) {
  const Seen from(x, "x"), to(y, "out");
  const Device device = c.plan.device();
  const auto in = input<T>(from, "x", columns_of(c, transposed), device);
  const auto out = output<T>(to, "out", columns_of(c, !transposed), device);
  nb::gil_scoped_release free;
  const std::shared_lock lock(c.in_use);
  c.plan.multiply(static_cast<T>(alpha), in, static_cast<T>(beta), out,
                  make_op(transposed, conjugated), stream_of(device, stream));
}

// The same for several vectors, the columns of matrices in any order.
template <Value T>
void multiply_several(const Core<T>& c, nb::handle x, nb::handle y, Factor<T> alpha, Factor<T> beta,
                      bool transposed, std::uintptr_t stream, bool conjugated) {
  const Seen from(x, "x"), to(y, "out");
  const Device device = c.plan.device();
  const auto in = input_matrix<T>(from, "x", columns_of(c, transposed), device);
  const auto out = output_matrix<T>(to, "out", columns_of(c, !transposed), device);
  nb::gil_scoped_release free;
  const std::shared_lock lock(c.in_use);
  c.plan.multiply(static_cast<T>(alpha), in, static_cast<T>(beta), out,
                  make_op(transposed, conjugated), stream_of(device, stream));
}

// Two arrays that were glanced at, and all that a product needs to know of them.
template <Value T>
class Quick {
 public:
  // False: not for the quick way.
  static bool fits(const Core<T>& c, const Glance& x) {
    return x.device == cpu_device || x.device == c.plan.device();
  }

  Quick(const Core<T>& c, const Glance& x, const Glance& y, Op op)
      : c_(c),
        x_(static_cast<const T*>(x.data)),
        y_(static_cast<T*>(y.data)),
        n_(static_cast<std::size_t>(columns_of(c, is_transposed(op)))),
        m_(static_cast<std::size_t>(columns_of(c, !is_transposed(op)))),
        op_(op),
        on_device_(x.device != cpu_device && x.device == y.device),
        stream_(on_device_ ? current_stream(x) : 0) {}

  bool apart() const {
    const std::less<const T*> before;
    return n_ == 0 || m_ == 0 || !before(x_, y_ + m_) || !before(y_, x_ + n_);
  }

  // Without the GIL.
  void run(T alpha, T beta) const {
    nb::gil_scoped_release free;
    const std::shared_lock lock(c_.in_use);
    if (on_device_ && c_.bounds.enqueue(c_.plan, op_, stream_, alpha, x_, beta, y_)) return;
    c_.plan.multiply(alpha, {x_, n_}, beta, {y_, m_}, op_, stream_of(c_.plan.device(), stream_));
  }

  // So many vectors, row by row. What is wrong with them is said by the library.
  void run_several(T alpha, T beta, index_t vectors) const {
    nb::gil_scoped_release free;
    const std::shared_lock lock(c_.in_use);
    c_.plan.multiply(alpha, row_major(x_, static_cast<index_t>(n_), vectors), beta,
                     row_major(y_, static_cast<index_t>(m_), vectors), op_,
                     stream_of(c_.plan.device(), stream_));
  }

 private:
  const Core<T>& c_;
  const T* x_;
  T* y_;
  std::size_t n_, m_;
  Op op_;
  bool on_device_;
  std::uintptr_t stream_;
};

// The vectors of a matrix that was glanced at, its columns; 0: not one of n rows.
std::int64_t vectors_of(const Glance& seen, nb::handle matrix, std::int64_t n) {
  if (n == 0 || static_cast<std::int64_t>(nb::len(matrix)) != n) return 0;
  const std::int64_t vectors = seen.size / n;
  return vectors > std::numeric_limits<index_t>::max() ? 0 : vectors;
}

// apply() for the columns of a matrix that lies row by row without gaps.
template <Value T, Op op>
nb::object apply_several(const Core<T>& c, nb::handle x) {
  constexpr bool transposed = is_transposed(op);
  const std::int64_t m = columns_of(c, !transposed);
  const auto from = glance(x, value_type_of<T>, 2, Access::read);
  if (!from || !Quick<T>::fits(c, *from) || m == 0) return nb::none();
  const std::int64_t vectors = vectors_of(*from, x, columns_of(c, transposed));
  if (vectors == 0) return nb::none();
  nb::object y = empty_like(*from, x, value_type_of<T>, m, vectors);
  const auto to = glance(y, value_type_of<T>, 2, Access::write);
  if (!to || to->size != m * vectors || to->device != from->device) return nb::none();
  Quick<T>(c, *from, *to, op).run_several(1, 0, static_cast<index_t>(vectors));
  return y;
}

// A @ x for a vector as it must be, or a matrix: y is made here. None where x is anything else.
template <Value T, Op op>
nb::object apply(const Core<T>& c, nb::handle x) {
  constexpr bool transposed = is_transposed(op);
  const auto from = glance(x, value_type_of<T>, 1, Access::read);
  if (!from) return apply_several<T, op>(c, x);
  if (from->size != columns_of(c, transposed) || !Quick<T>::fits(c, *from)) return nb::none();
  nb::object y = empty_like(*from, x, value_type_of<T>, columns_of(c, !transposed));
  const auto to = glance(y, value_type_of<T>, 1, Access::write);
  // CuPy makes arrays on the device that is current, which may be another.
  if (!to || to->size != columns_of(c, !transposed) || to->device != from->device)
    return nb::none();
  Quick<T>(c, *from, *to, op).run(1, 0);
  return y;
}

// y = alpha A x + beta y likewise. False: nothing was done.
template <Value T, Op op>
bool into(const Core<T>& c, nb::handle x, nb::handle y, Factor<T> alpha, Factor<T> beta) {
  constexpr bool transposed = is_transposed(op);
  const auto from = glance(x, value_type_of<T>, 1, Access::read);
  if (!from || from->size != columns_of(c, transposed) || !Quick<T>::fits(c, *from)) return false;
  const auto to = glance(y, value_type_of<T>, 1, Access::write);
  if (!to || to->library != from->library || to->size != columns_of(c, !transposed) ||
      to->device != from->device)
    return false;
  const Quick<T> product(c, *from, *to, op);
  if (!product.apart()) return false;
  product.run(static_cast<T>(alpha), static_cast<T>(beta));
  return true;
}

// Y = alpha A X + beta Y for matrices that lie row by row without gaps. False: nothing was done.
template <Value T>
bool several_into(const Core<T>& c, nb::handle x, nb::handle y, Factor<T> alpha, Factor<T> beta,
                  bool transposed, bool conjugated) {
  const auto from = glance(x, value_type_of<T>, 2, Access::read);
  const auto to = glance(y, value_type_of<T>, 2, Access::write);
  if (!from || !to || to->library != from->library || to->device != from->device ||
      !Quick<T>::fits(c, *from))
    return false;
  const std::int64_t vectors = vectors_of(*from, x, columns_of(c, transposed));
  if (vectors == 0 || vectors_of(*to, y, columns_of(c, !transposed)) != vectors) return false;
  Quick<T>(c, *from, *to, make_op(transposed, conjugated))
      .run_several(static_cast<T>(alpha), static_cast<T>(beta), static_cast<index_t>(vectors));
  return true;
}

}  // namespace

template <Value T>
void bind_products(nb::class_<Core<T>>& type) {
  type.def("multiply", &multiply<T>, nb::arg("x").none(), nb::arg("y").none(), nb::arg("alpha"),
           nb::arg("beta"), nb::arg("transposed"), nb::arg("stream"), nb::arg("conjugated") = false)
      .def("multiply_several", &multiply_several<T>, nb::arg("x").none(), nb::arg("y").none(),
           nb::arg("alpha"), nb::arg("beta"), nb::arg("transposed"), nb::arg("stream"),
           nb::arg("conjugated") = false)
      .def("several_into", &several_into<T>, nb::arg("x").none(), nb::arg("y").none(),
           nb::arg("alpha"), nb::arg("beta"), nb::arg("transposed"), nb::arg("conjugated") = false);
  const auto quick = [&]<Op op>(const char* name, const char* name_into) {
    type.def(name, &apply<T, op>, nb::arg("x").none())
        .def(name_into, &into<T, op>, nb::arg("x").none(), nb::arg("y").none(), nb::arg("alpha"),
             nb::arg("beta"));
  };
  quick.template operator()<Op::none>("forward", "forward_into");
  quick.template operator()<Op::transpose>("backward", "backward_into");
  if constexpr (ComplexValue<T>) {
    quick.template operator()<Op::conjugate>("forward_conjugate", "forward_conjugate_into");
    quick.template operator()<Op::conjugate_transpose>("backward_conjugate",
                                                       "backward_conjugate_into");
  }
}

template void bind_products(nb::class_<Core<float>>&);
template void bind_products(nb::class_<Core<double>>&);
template void bind_products(nb::class_<Core<std::complex<float>>>&);
template void bind_products(nb::class_<Core<std::complex<double>>>&);

}  // namespace nz::python
