// Version of these headers. keysieve_version() gives that of the library that was loaded.
#pragma once

#define KEYSIEVE_VERSION_MAJOR 0
#define KEYSIEVE_VERSION_MINOR 1
#define KEYSIEVE_VERSION_PATCH 0
#define KEYSIEVE_VERSION_STRING "0.1.0"
