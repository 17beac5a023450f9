#include "gpu/device/large_matrix.hpp"

#include "gpu/problem.hpp"

// Products of a matrix that was made on the device: small everywhere, and on a GPU with more than
// 2^31 nonzeros, and with so many that 32-bit offsets just hold them.
namespace nz::test {
namespace {

void write([[maybe_unused]] Device device, [[maybe_unused]] const LargeMatrix& m,
           [[maybe_unused]] std::int64_t* offsets, [[maybe_unused]] index_t* columns,
           [[maybe_unused]] float* values) {
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) cuda::write_large(m, offsets, columns, values);
#endif
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) emulated::write_large(m, offsets, columns, values);
#endif
  wait_for(device);
}

std::vector<int> exact([[maybe_unused]] Device device, [[maybe_unused]] const LargeMatrix& m,
                       Op op) {
  std::vector<int> sums(static_cast<std::size_t>(op == Op::none ? m.rows : m.cols));
  DeviceArray<int> there(device, std::span<const int>(sums));
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) cuda::multiply_large(m, op, there.data());
#endif
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) emulated::multiply_large(m, op, there.data());
#endif
  there.download(sums);
  return sums;
}

// On the host, a few rows: the first, the last, those around entry 2^31 where there is one.
void check_some_rows(const LargeMatrix& m, const std::vector<int>& sums) {
  const std::int64_t middle = std::min<std::int64_t>(m.rows / 2, (std::int64_t{1} << 31) / 64);
  for (const std::int64_t begin : {std::int64_t{0}, middle - 16, std::int64_t{m.rows} - 32})
    for (std::int64_t row = begin; row < begin + 32; ++row) {
      int sum = 0;
      for (std::int64_t k = m.offset(row); k < m.offset(row + 1); ++k)
        sum += m.value(k) * m.x(m.column(k));
      ASSERT_EQ(sums[static_cast<std::size_t>(row)], sum) << "row " << row;
    }
}

template <class O>
DeviceArray<O> narrowed(DeviceArray<std::int64_t> offsets) {
  if constexpr (std::is_same_v<O, std::int64_t>) {
    return offsets;
  } else {
    std::vector<std::int64_t> wide(offsets.size());
    offsets.download(wide);
    const std::vector<O> narrow(wide.begin(), wide.end());
    return {offsets.device(), std::span<const O>(narrow)};
  }
}

class LargeMatrices : public ::testing::TestWithParam<Place> {
 protected:
  template <class O>
  void multiply(const LargeMatrix& m) {
    const Device device = GetParam().device;
    const auto nnz = static_cast<std::size_t>(m.nnz());
    DeviceArray<std::int64_t> wide(device, static_cast<std::size_t>(m.rows) + 1);
    DeviceArray<index_t> columns(device, nnz);
    DeviceArray<float> values(device, nnz);
    write(device, m, wide.data(), columns.data(), values.data());
    const DeviceArray<O> offsets = narrowed<O>(std::move(wide));
    const CsrView<float, O> a{m.rows,         m.cols,         static_cast<O>(m.nnz()),
                              offsets.data(), columns.data(), values.data()};
    const auto plan = plan_in(GetParam(), a);
    for (const Op op : ops_of(*GetParam().kernel)) {
      std::vector<float> x(static_cast<std::size_t>(op == Op::none ? m.cols : m.rows));
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(m.x(static_cast<std::int64_t>(i)));
      const std::vector<int> sums = exact(device, m, op);
      if (op == Op::none) check_some_rows(m, sums);
      std::vector<float> y(sums.size(), nan<float>);
      plan.multiply(1, x, 0, y, op);
      std::size_t wrong = 0, first = 0;
      for (std::size_t i = y.size(); i-- > 0;)
        if (y[i] != static_cast<float>(sums[i])) ++wrong, first = i;
      EXPECT_EQ(wrong, 0u) << "op " << name(op) << ", first at " << first << ": " << y[first]
                           << ", exact " << sums[first];
    }
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LargeMatrices);

TEST_P(LargeMatrices, Small) {
  NZ_NEEDS(GetParam().device);
  multiply<std::int64_t>({.rows = 300, .cols = 650});
  multiply<std::int32_t>({.rows = 300, .cols = 650});
}

class BeyondInt32 : public LargeMatrices {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BeyondInt32);

TEST_P(BeyondInt32, Nonzeros) {
  NZ_NEEDS(GetParam().device);
  const LargeMatrix m{.rows = (1 << 25) + (1 << 14), .cols = 1 << 20};
  ASSERT_EQ(m.nnz(), (std::int64_t{1} << 31) + (1 << 20));
  try {
    multiply<std::int64_t>(m);
  } catch (const NoResource& e) {
    if (std::getenv("NZ_REQUIRE_GPU")) throw;
    GTEST_SKIP() << e.what();
  }
}

// The offsets fit, but rows and nonzeros together do not.
TEST_P(BeyondInt32, NonzerosAndRowsTogether) {
  NZ_NEEDS(GetParam().device);
  const LargeMatrix m{.rows = (1 << 25) - (1 << 14), .cols = 1 << 20};
  ASSERT_LT(m.nnz(), std::int64_t{1} << 31);
  ASSERT_GT(m.nnz() + m.rows, std::int64_t{1} << 31);
  try {
    multiply<std::int32_t>(m);
  } catch (const NoResource& e) {
    if (std::getenv("NZ_REQUIRE_GPU")) throw;
    GTEST_SKIP() << e.what();
  }
}

// Our own kernels on CSR and COO, and the plainest one.
std::vector<Place> chosen() {
  std::vector<Place> all = places("gpu/*");
  std::erase_if(all, [](const Place& p) {
    const Kernel& k = *p.kernel;
    const bool ours = k.source == "own" && (k.format == "csr" || k.format == "coo");
    return !ours && k.id() != "gpu/csr/thread-per-row";
  });
  return all;
}
// Slots are for small matrices: they have 31 bits for their numbers, and refuse what needs more.
std::vector<Place> chosen_on_gpus() {
  std::vector<Place> all = chosen();
  std::erase_if(all, [](const Place& p) {
    return p.device.kind != Device::Kind::cuda || p.kernel->id() == "gpu/coo/slots";
  });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, LargeMatrices, ::testing::ValuesIn(chosen()), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, BeyondInt32, ::testing::ValuesIn(chosen_on_gpus()), test_name);

}  // namespace
}  // namespace nz::test
