#include "peer_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace keysieve::peer {

namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::uint32_t kKnownPromises = KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST |
                                         KEYSIEVE_PEER_REPRODUCIBLE | KEYSIEVE_PEER_CAPTURABLE |
                                         KEYSIEVE_PEER_NAN_LOWEST;

// A name becomes part of file names and of JSON keys that people type.
bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

const char* missing_member(const keysieve_peer& peer) {
  if (!peer.name) return "name";
  if (!peer.version) return "version";
  if (!peer.unmet_conditions) return "unmet_conditions";
  if (!peer.create) return "create";
  if (!peer.run) return "run";
  if (!peer.destroy) return "destroy";
  if (!peer.last_error) return "last_error";
  return nullptr;
}

}  // namespace

std::optional<TableFault> table_fault(const keysieve_peer& peer) {
  if (peer.struct_size < sizeof(keysieve_peer)) {
    return TableFault{"struct_size " + std::to_string(sizeof(keysieve_peer)) + " or more",
                      std::to_string(peer.struct_size)};
  }
  if (peer.abi_version != KEYSIEVE_PEER_ABI_VERSION) {
    return TableFault{"abi_version " + std::to_string(KEYSIEVE_PEER_ABI_VERSION), std::to_string(peer.abi_version)};
  }
  if (const char* member = missing_member(peer)) return TableFault{std::string("a value in ") + member, "NULL"};
  if (!is_name(peer.name)) {
    return TableFault{"a name of 1 to " + std::to_string(kMaxNameBytes) +
                          " letters, digits, '_', '-' and '.' that begins with none of the last two",
                      "'" + std::string(peer.name).substr(0, 2 * kMaxNameBytes) + "'"};
  }
  if (const std::uint32_t unknown = peer.promises & ~kKnownPromises) {
    return TableFault{"promises of this version's KEYSIEVE_PEER_*", "unknown bits " + std::to_string(unknown)};
  }
  if (peer.reserved != 0) return TableFault{"reserved 0", std::to_string(peer.reserved)};
  return std::nullopt;
}

}  // namespace keysieve::peer
