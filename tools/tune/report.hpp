// What a fit found, for people; and as C++ for the table that is compiled in.
#pragma once

#include <string>

#include "tune/result_file.hpp"

namespace keysieve::tune {

// Values that moved, the predicted gain, and the shapes that change hands with the largest gains first.
std::string describe_fit(const Result& result, std::span<const Point> points, const Fit& fit, const Summary& summary);

// One entry of kBuiltInTunings under that name.
std::string table_entry(const Result& result, const CudaTuning& tuning, const std::string& name);

}  // namespace keysieve::tune
