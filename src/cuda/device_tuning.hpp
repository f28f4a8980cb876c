// Which crossovers a device goes by.
#pragma once

#include "keysieve/status.hpp"
#include "plan/device_profile.hpp"
#include "plan/tuning_file.hpp"

namespace keysieve::cuda {

// Reads the tuning file of the device, if there is one, and sets profile.tuning. Legal while a stream of this thread is
// being captured.
LoadedTuning tune_device(std::int32_t ordinal, DeviceProfile& profile);

}  // namespace keysieve::cuda
