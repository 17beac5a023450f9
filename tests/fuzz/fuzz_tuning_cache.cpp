// The bytes are what lies in the tuning cache for a matrix: a thorough plan takes what makes sense
// there and looks for itself otherwise; it never fails because of it, and its products are right.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/truth.hpp>

#include "fuzz/small_cases.hpp"
#include "plan/tuning_cache.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A plan whose file is known.
struct Known {
  nz::PlanOptions options;
  fs::path file;
  std::string key;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct World {
  nz::Csr<double, std::int32_t> a =
      nz::csr_cast<double, std::int32_t>(nz::generate("grid:points=5,nx=7,ny=5").matrix.view());
  std::string folder = (fs::temp_directory_path() / "nonzero-fuzz-XXXXXX").string();
  std::vector<Known> known;

  World() {
    ::unsetenv("NONZERO_TUNING");  // which may say that nothing is kept
    nz::set_threads(1);
    if (!mkdtemp(folder.data())) std::abort();
    for (const nz::Use use : {nz::Use(nz::Op::none), nz::Use(nz::Op::transpose), nz::both_ops})
      for (const bool two : {false, true}) {
        nz::PlanOptions o{.threads = 1, .op = use, .effort = nz::Effort::thorough};
        o.store_transpose = two;
        o.cache.directory = folder;
        (void)nz::plan(a.view(), o);
        for (const auto& e : fs::recursive_directory_iterator(folder)) {
          bool seen = !e.is_regular_file();
          for (const Known& k : known) seen = seen || k.file == e.path();
          if (seen) continue;
          known.push_back({o, e.path(), Json::parse(text_of(e.path())).at("key")});
        }
      }
    if (known.size() < 6) std::abort();
  }
  ~World() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const World world;
  if (size == 0) return 0;
  const Known& k = world.known[data[0] % world.known.size()];
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  // Nearly no input would have the right key: it is put right, unless the first byte is large.
  if (data[0] < 200) {
    Json j = Json::parse(text, nullptr, false);
    if (j.is_object()) {
      j["schema"] = "nonzero-tuning/1";
      j["key"] = k.key;
      text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  std::ofstream(k.file, std::ios::binary) << text;
  try {
    // Where nothing is recalled the plan would time kernels, as without a file.
    if (nz::recall(world.folder, k.key).empty()) return 0;
    const auto plan = nz::plan(world.a.view(), k.options);
    for (const nz::Op op : nz::all_ops) {
      if (!k.options.op.has(op)) continue;
      std::vector<double> x(35, 0.75), y(35, 0.0);
      plan.multiply(1.0, x, 0.0, y, op);
      const auto v = nz::check_product<double, std::int32_t>(world.a.view(), op, 1.0, x, 0.0, y, y);
      if (!v.right()) {
        std::fprintf(stderr, "%s\n%s\n", v.message().c_str(), text.c_str());
        std::abort();
      }
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n%s\n", e.what(), text.c_str());
    std::abort();
  }
  return 0;
}
