#pragma once

namespace nz {

// How a constant of one device is turned into that of another.
enum class Scale : char {
  none,        // shares, factors, lengths of rows
  rate,        // time of a thing of which memory gives so many a second
  fixed,       // time that passes once, however many there are
  cache,       // bytes that stay in the cache
  in_launch,   // things that memory gives while a product starts
  processors,  // things of which each processor has some
};

// One constant of a table: files know it by its name.
template <class Tuning>
struct Constant {
  const char* name;
  double Tuning::*value;
  Scale scale = Scale::none;
};

}  // namespace nz
