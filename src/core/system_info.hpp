// What this machine offers keysieve, for `keysieve doctor` and bug reports.
#pragma once

#include <string>

namespace keysieve {

std::string system_info_json();

}  // namespace keysieve
