// The one place that opens libraries at run time.
#pragma once

#include <string>

namespace keysieve {

// nullptr and the loader's reason in `problem` on failure. Libraries stay open for the life of the process.
void* open_library(const std::string& path, std::string& problem);
void* find_symbol(void* handle, const char* name);

// Folder of the shared object (or executable) that holds this code.
std::string folder_of_this_library();

}  // namespace keysieve
