#include "kernels/batch.hpp"

#include <algorithm>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/isa.hpp"
#include "base/parallel.hpp"
#include "kernels/cpu/batch_rows.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"

namespace nz {

#define NZ_DECLARE(home)                                                            \
  namespace home {                                                                  \
  template <class T>                                                                \
  void batch_rows(const cpu::BatchPass<T>&, std::int64_t first, std::int64_t last); \
  }
NZ_DECLARE(portable)
NZ_X86(NZ_DECLARE(avx2) NZ_DECLARE(avx512) NZ_DECLARE(avx512_loads))
NZ_ARM(NZ_DECLARE(neon))
NZ_SVE(NZ_DECLARE(sve256) NZ_DECLARE(sve512))
#undef NZ_DECLARE

namespace cpu {
namespace {

template <class T>
BatchRows<T> rows_here() {
  [[maybe_unused]] const Isa chosen = isa();
  NZ_X86(if (chosen == Isa::avx512) return avx512::batch_rows<T>;
         if (chosen == Isa::avx512_loads) return avx512_loads::batch_rows<T>;
         if (chosen == Isa::avx2) return avx2::batch_rows<T>;)
  NZ_SVE(if (chosen == Isa::sve512) return sve512::batch_rows<T>;
         if (chosen == Isa::sve256) return sve256::batch_rows<T>;)
  NZ_ARM(if (chosen == Isa::neon) return neon::batch_rows<T>;)
  return portable::batch_rows<T>;
}

// Fewest rows and nonzeros that are worth a thread.
constexpr std::int64_t grain = 8192;

// Where a part begins: a time that the pattern comes, and a tile of it.
struct Place {
  std::int64_t repeat = 0, tile = 0;
};

// Equal work for every thread, in whole tiles.
std::vector<Place> split(const BatchTiles& tiles, std::int64_t repeats, int parts) {
  std::vector<std::int64_t> before{0};
  for (const BatchTile& t : tiles.tiles) before.push_back(before.back() + t.rows + t.entries);
  std::vector<Place> cuts;
  const std::int64_t each = before.back();
  for (int p = 0; p < parts && each > 0; ++p) {
    // p/parts of all work, without overflow: of the repeats, and of what is left of them.
    const std::int64_t repeat = repeats / parts * p + repeats % parts * p / parts;
    const std::int64_t rest = repeats % parts * p % parts;
    const std::int64_t target = each / parts * rest + each % parts * rest / parts;
    const auto at = std::lower_bound(before.begin(), before.end(), target) - before.begin();
    cuts.push_back({repeat, at});
  }
  cuts.resize(static_cast<std::size_t>(parts), Place{repeats, 0});
  cuts.push_back({repeats, 0});
  return cuts;
}

template <Value T>
class CpuBatch final : public Product<T> {
 public:
  CpuBatch(BatchShape shape, std::span<const T> values, bool keep)
      : shape_(std::move(shape)),
        rows_(rows_here<T>()),
        team_(team_size(threads(), shape_.rows + shape_.cols + shape_.entries, grain)),
        cuts_{split(shape_.n, shape_.repeats, team_), split(shape_.t, shape_.repeats, team_)},
        keeps_(keep) {
    set_values(values);
  }

  void set_values(std::span<const T> values) {
    values_ = values.data();
    if (keeps_) return;
    Array<T> copy(values);
    own_ = std::move(copy);
    values_ = own_.data();
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    const BatchShape& s = shape_;
    const BatchTiles& tiles = s.tiles(op);
    const auto& cuts = cuts_[op == Op::none ? 0 : 1];
    const auto count = static_cast<std::int64_t>(tiles.tiles.size());
    const std::int64_t in = op == Op::none ? s.pattern_cols : s.pattern_rows,
                       out = op == Op::none ? s.pattern_rows : s.pattern_cols;
    parallel_parts(team_, [&](int part) {
      const Place from = cuts[part], to = cuts[part + 1];
      for (std::int64_t r = from.repeat; r <= to.repeat && r < s.repeats; ++r) {
        const std::int64_t first = r == from.repeat ? from.tile : 0;
        const std::int64_t last = r == to.repeat ? to.tile : count;
        rows_({&tiles, values_ + r * s.pattern_entries, x.data() + r * in, y.data() + r * out,
               alpha, beta, std::ssize(y) - r * out},
              first, last);
      }
    });
  }

  std::size_t bytes() const override {
    return shape_.n.bytes() + shape_.t.bytes() + own_.size() * sizeof(T) +
           (cuts_[0].size() + cuts_[1].size()) * sizeof(Place);
  }
  bool borrows() const override { return keeps_; }
  std::size_t traffic(Op op, bool reads_y) const override {
    const std::int64_t again = !reads_y ? 0 : op == Op::none ? shape_.rows : shape_.cols;
    return shape_.tiles(op).bytes() +
           static_cast<std::size_t>(shape_.entries + shape_.rows + shape_.cols + again) * sizeof(T);
  }

 private:
  BatchShape shape_;
  BatchRows<T> rows_;
  int team_;
  std::vector<Place> cuts_[2];
  bool keeps_;
  const T* values_ = nullptr;
  Array<T> own_;
};

}  // namespace

template <Value T>
MadeBatch<T> make_batch(BatchShape shape, std::span<const T> values, bool keep) {
  auto product = std::make_unique<CpuBatch<T>>(std::move(shape), values, keep);
  const auto set = [p = product.get()](std::span<const T> more) { p->set_values(more); };
  return {std::move(product), set};
}

#define NZ_INSTANTIATE(T) template MadeBatch<T> make_batch(BatchShape, std::span<const T>, bool);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace cpu
}  // namespace nz
