// A kernel that cannot be given all the shared memory of a CTA, because it has some of its own.
#pragma once

namespace keysieve::test {

const void* greedy_kernel();

}  // namespace keysieve::test
