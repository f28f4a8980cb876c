// What can be told of a peer's table without calling into it.
#pragma once

#include <keysieve/peer.h>

#include <optional>
#include <string>

namespace keysieve::peer {

struct TableFault {
  std::string expected;
  std::string found;
};

// The first fault of a table. struct_size and abi_version are read first: they say whether the rest is there at all.
std::optional<TableFault> table_fault(const keysieve_peer& peer);

}  // namespace keysieve::peer
