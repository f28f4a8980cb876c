#include "stream_scope.hpp"

namespace peers {

const bool kServesCuda = false;

struct StreamScope::Guard {};

StreamScope::StreamScope(c10::Device, void*) {}
StreamScope::~StreamScope() = default;

void synchronize(c10::Device) {}

}  // namespace peers
