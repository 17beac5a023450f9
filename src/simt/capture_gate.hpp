#pragma once
#include <condition_variable>
#include <mutex>

namespace nz::simt {

// Keeps captures of graphs and waits for a whole device apart: CUDA refuses such a wait while any
// thread captures, and spoils the capture. A capture waits until the waits under way are over. A
// wait does not wait for captures, since its caller may hold what the capturing thread needs next:
// it is told to come again later.
class CaptureGate {
 public:
  void begin_capture();
  void end_capture() noexcept;

  // False when a capture is under way, and then nothing was called.
  template <class Wait>
  bool unless_capturing(Wait&& wait) {
    if (!begin_wait()) return false;
    struct End {
      CaptureGate& gate;
      ~End() { gate.end_wait(); }
    } end{*this};
    wait();
    return true;
  }

 private:
  bool begin_wait();
  void end_wait() noexcept;

  std::mutex guard_;
  std::condition_variable no_wait_;
  int captures_ = 0, waits_ = 0;
};

// A capture, from its beginning to its end.
class CaptureScope {
 public:
  explicit CaptureScope(CaptureGate& gate) : gate_(gate) { gate.begin_capture(); }
  ~CaptureScope() { gate_.end_capture(); }
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;

 private:
  CaptureGate& gate_;
};

}  // namespace nz::simt
