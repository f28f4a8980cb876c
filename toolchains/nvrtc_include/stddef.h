#pragma once

using size_t = unsigned long;
using ptrdiff_t = long;

// __INTADDR__ is the front end's own word for an address that is a constant.
#define offsetof(type, member) __INTADDR__(&(((type*)0)->member))
