#pragma once
#include <cstdint>

#include "kernels/cpu/vector/several_rows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Entries of a format that does not have them row by row, written down as those of CSR, some at a
// time. Many vectors meet each of them, so that this costs little.
template <class T>
class RunWriter {
 public:
  static constexpr std::int32_t room = 1024;

  explicit RunWriter(const TakeRun<T, std::int32_t>& take) : take_(take) {}

  NZ_INLINE void begin_row(index_t row) { names_[rows_] = row; }
  // Where the next n entries of the row go, at most `room`; taken() says how many there were.
  struct Place {
    T* values;
    index_t* columns;
  };
  NZ_INLINE Place place(std::int32_t n) {
    if (count_ + n > room) flush();
    return {values_ + count_, columns_ + count_};
  }
  NZ_INLINE void taken(std::int32_t n) { count_ += n; }
  NZ_INLINE void end_row() {
    offsets_[++rows_] = count_;
    if (rows_ == most_rows) flush();
  }
  // A row that has not ended goes on afterwards.
  void flush() {
    if (rows_ == 0 && count_ == 0) return;
    take_({values_, columns_, offsets_, names_, 0, rows_, 0, count_});
    names_[0] = names_[rows_];
    rows_ = 0;
    count_ = 0;
  }

 private:
  static constexpr index_t most_rows = 64;

  const TakeRun<T, std::int32_t>& take_;
  std::int32_t count_ = 0;
  index_t rows_ = 0;
  T values_[room + 1];  // one that is not taken may follow the last
  index_t columns_[room + 1];
  index_t names_[most_rows + 1] = {};
  std::int32_t offsets_[most_rows + 1] = {};
};

// Both products of a matrix whose parts write their entries: write(part, writer).
template <class T, class Write>
void several_by_writing(Op op, const cpu::Several<T>& s, const cpu::Windows<T>& windows,
                        Write&& write) {
  const auto feed = [&](int part, const TakeRun<T, std::int32_t>& take) {
    RunWriter<T> writer(take);
    write(part, writer);
    writer.flush();
  };
  if (op == Op::none)
    several_by_rows<T, std::int32_t>(s, static_cast<int>(windows.ranges().size()), feed);
  else
    several_by_columns<T, std::int32_t>(s, windows, feed);
}

#include "kernels/cpu/vector/isa_end.hpp"
