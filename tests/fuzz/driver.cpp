// What libFuzzer does, without seeing what is reached: for compilers that have no libFuzzer, and to
// run through a corpus. fuzz_NAME [-seconds=N] [-seed=S] FILE_OR_FOLDER...
//
// Runs every file; then, for so many seconds, changed copies of them. The input under way is kept
// in fuzz-NAME-PID.input until it has passed, where -seconds is given.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<unsigned char>;

void run(const Bytes& input) {
  // A copy of exactly that length, so that steps beyond its end are seen.
  const Bytes exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

Bytes read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Mutator {
 public:
  Mutator(std::vector<Bytes> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {
    if (corpus_.empty()) corpus_.emplace_back();
  }

  Bytes next() {
    Bytes b = corpus_[below(corpus_.size())];
    for (auto n = 1 + below(8); n > 0; --n) change(b);
    constexpr std::size_t most = 4096;
    if (b.size() > most) b.resize(most);
    return b;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  unsigned char byte() {
    constexpr unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
    return below(4) == 0 ? odd[below(std::size(odd))] : static_cast<unsigned char>(random_());
  }
  void change(Bytes& b) {
    const auto at = [&] { return static_cast<std::ptrdiff_t>(below(b.size() + 1)); };
    switch (below(6)) {
      case 0:  // another bit
        if (!b.empty()) b[below(b.size())] ^= static_cast<unsigned char>(1u << below(8));
        break;
      case 1:  // another byte
        if (!b.empty()) b[below(b.size())] = byte();
        break;
      case 2:  // more of them
        for (auto n = 1 + below(12); n > 0; --n) b.insert(b.begin() + at(), byte());
        break;
      case 3: {  // fewer
        const auto i = at(), j = at();
        b.erase(b.begin() + std::min(i, j), b.begin() + std::max(i, j));
        break;
      }
      case 4: {  // a part of another input
        const Bytes& other = corpus_[below(corpus_.size())];
        const auto i = below(other.size() + 1), n = below(other.size() - i + 1);
        b.insert(b.begin() + at(), other.begin() + static_cast<std::ptrdiff_t>(i),
                 other.begin() + static_cast<std::ptrdiff_t>(i + n));
        break;
      }
      default: {  // a part of itself, once more
        const auto i = below(b.size() + 1), n = std::min<std::size_t>(below(b.size() - i + 1), 64);
        const Bytes part(b.begin() + static_cast<std::ptrdiff_t>(i),
                         b.begin() + static_cast<std::ptrdiff_t>(i + n));
        b.insert(b.begin() + at(), part.begin(), part.end());
      }
    }
  }

  std::vector<Bytes> corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0;
  std::uint64_t seed = std::random_device{}();
  std::vector<Bytes> corpus;
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (a.starts_with("-seconds=")) {
      seconds = std::strtod(argv[i] + 9, nullptr);
    } else if (a.starts_with("-seed=")) {
      seed = std::strtoull(argv[i] + 6, nullptr, 10);
    } else if (fs::is_directory(a)) {
      std::vector<fs::path> files;
      for (const auto& e : fs::directory_iterator(a)) files.push_back(e.path());
      std::sort(files.begin(), files.end());
      for (const fs::path& f : files) corpus.push_back(read(f));
    } else if (fs::is_regular_file(a)) {
      corpus.push_back(read(a));
    } else {
      std::cerr << a << ": neither an option nor a file\n";
      return 2;
    }
  }
  for (const Bytes& input : corpus) run(input);
  std::cout << corpus.size() << " inputs of the corpus" << std::endl;
  if (seconds <= 0) return corpus.empty();

  std::cout << "seed " << seed << std::endl;
  const fs::path kept = fs::path("fuzz-" + fs::path(argv[0]).filename().string() + '-' +
                                 std::to_string(getpid()) + ".input");
  Mutator mutator(corpus, seed);
  std::int64_t runs = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
         seconds) {
    const Bytes input = mutator.next();
    std::ofstream(kept, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    run(input);
    ++runs;
  }
  fs::remove(kept);
  std::cout << runs << " changed inputs" << std::endl;
  return 0;
}
