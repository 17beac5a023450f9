#include "lab/report/dashes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace nz::lab {

std::vector<std::vector<Point>> dashed(const std::vector<Point>& line, std::string_view dash) {
  const auto space = dash.find(' ');
  if (space == dash.npos) return {line};
  const double ink = std::atof(std::string(dash.substr(0, space)).c_str());
  const double gap = std::atof(std::string(dash.substr(space + 1)).c_str());
  if (!(ink > 0) || !(gap > 0)) return {line};
  std::vector<std::vector<Point>> all;
  double done = 0;  // of the dash at hand, ink and gap
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Point a = line[i], b = line[i + 1];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const auto point = [&](double t) {
      return Point{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    };
    for (double at = 0; at < length;) {
      const double until = done < ink ? ink : ink + gap;
      const double step = std::min(until - done, length - at);
      if (done < ink) {
        if (done == 0 || all.empty()) all.push_back({point(at / length)});
        all.back().push_back(point((at + step) / length));
      }
      at += step;
      done += step;
      if (done >= ink + gap - 1e-9) done = 0;
    }
  }
  return all;
}

}  // namespace nz::lab
