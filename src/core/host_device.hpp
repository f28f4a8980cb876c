// Marks what host and device code share.
#pragma once

#if defined(__CUDACC__)
#define KEYSIEVE_HOST_DEVICE __host__ __device__
#else
#define KEYSIEVE_HOST_DEVICE
#endif
