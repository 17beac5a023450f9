#pragma once
#include <vector>

#include "lab/report/pixels.hpp"
#include "lab/report/svg.hpp"

namespace nz::lab {

// A closed line of corners; several make a shape with holes.
using Outline = std::vector<Point>;

// Pixels that shapes are filled into, with smooth edges.
class Canvas {
 public:
  Canvas(int width, int height, const Colour& paper);

  // What the outlines enclose, each pixel by the share of it that is covered. Outlines that run the
  // other way round are holes.
  void fill(const std::vector<Outline>& outlines, const Colour& colour, double opacity);
  // Lines of that width with round ends, as one shape: where they cross, nothing is darker.
  void stroke(const std::vector<Point>& points, double width, const Colour& colour, double opacity);

  void set(int x, int y, const Colour& colour);
  Pixels pixels() const;

 private:
  // Covered shares of a part of the pixels: to be added up along each line.
  struct Cover {
    int left = 0, top = 0, width = 0, height = 0;
    std::vector<float> change;
  };
  Cover cover_of(const std::vector<Outline>& outlines) const;
  static void add_edge(Cover& c, Point a, Point b);
  void blend(int x, int y, const Colour& colour, double share);

  int width_, height_;
  std::vector<float> rgb_;
};

// A circle as an outline.
Outline circle(Point centre, double radius);

}  // namespace nz::lab
