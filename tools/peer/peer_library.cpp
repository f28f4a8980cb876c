#include "peer_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "peer_table.hpp"

namespace keysieve::peer {

namespace {

// A keysieve_peer_at that never says NULL must not hang the loader.
constexpr std::int32_t kMaxImplementations = 64;

std::string loader_error() {
  const char* text = dlerror();
  return text ? text : "no reason given";
}

}  // namespace

PeerLibrary PeerLibrary::load(const std::string& path) {
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw PeerError(KEYSIEVE_INVALID_ARGUMENT, path + ": expected " + expected + ", found " + found);
  };
  if (!std::filesystem::exists(file)) refuse("a shared library", "no such file");

  // RTLD_LOCAL: two peers may carry the same third-party code, and neither may see the other's.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) refuse("a shared library that can be loaded", loader_error());
  PeerLibrary library(handle);

  using PeerAt = const keysieve_peer*(std::int32_t);
  auto* const peer_at = reinterpret_cast<PeerAt*>(dlsym(handle, "keysieve_peer_at"));
  if (!peer_at) refuse("the symbol keysieve_peer_at", loader_error());

  for (std::int32_t index = 0;; ++index) {
    const keysieve_peer* peer = peer_at(index);
    if (!peer) break;
    if (index == kMaxImplementations) {
      refuse("at most " + std::to_string(kMaxImplementations) + " implementations",
             "no NULL from keysieve_peer_at(" + std::to_string(index) + ")");
    }
    const std::string where = "in implementation " + std::to_string(index) + " ";
    if (const auto fault = table_fault(*peer)) refuse(where + fault->expected, fault->found);
    for (const keysieve_peer* earlier : library.implementations_) {
      if (std::string_view(earlier->name) == peer->name) {
        refuse(where + "a name of its own", "'" + std::string(peer->name) + "' a second time");
      }
    }
    library.implementations_.push_back(peer);
  }
  if (library.implementations_.empty()) refuse("at least one implementation", "NULL from keysieve_peer_at(0)");
  return library;
}

PeerLibrary::PeerLibrary(PeerLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), implementations_(std::move(other.implementations_)) {
  other.implementations_.clear();
}

PeerLibrary& PeerLibrary::operator=(PeerLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(implementations_, other.implementations_);
  return *this;
}

PeerLibrary::~PeerLibrary() {
  if (handle_) dlclose(handle_);
}

}  // namespace keysieve::peer
