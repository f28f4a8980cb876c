// Names of enum values as users type and read them.
#pragma once

#include <cstdint>

#include "keysieve/types.hpp"

namespace keysieve {

// nullptr for a value outside the enum, which a C caller can pass.
const char* name_of(DeviceType value);
const char* name_of(Backend value);
const char* name_of(Route value);
const char* name_of(ScoreType value);
const char* name_of(IndexType value);
const char* name_of(IndexMode value);
const char* name_of(SlotOrder value);
const char* name_of(Ties value);
const char* name_of(NanPolicy value);

}  // namespace keysieve
