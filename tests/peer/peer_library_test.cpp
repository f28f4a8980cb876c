#include "peer_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace keysieve::peer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string test_peer(const std::string& name) { return std::string(TEST_PEERS) + "/" + name + ".so"; }

std::string message_of_load(const std::string& path) {
  try {
    PeerLibrary::load(path);
  } catch (const PeerError& error) {
    EXPECT_EQ(error.status(), KEYSIEVE_INVALID_ARGUMENT);
    return error.what();
  }
  return "loaded";
}

TEST(PeerLibrary, ListsImplementationsInTheLibrarysOrder) {
  const auto sorting = PeerLibrary::load(test_peer("sorting_peer"));
  ASSERT_EQ(sorting.implementations().size(), 1u);
  EXPECT_STREQ(sorting.implementations()[0]->name, "sorting_peer");

  const auto wrong = PeerLibrary::load(test_peer("wrong_peer"));
  ASSERT_EQ(wrong.implementations().size(), 4u);
  EXPECT_STREQ(wrong.implementations()[0]->name, "larger_index");
  EXPECT_STREQ(wrong.implementations()[3]->name, "bad_workspace");
}

TEST(PeerLibrary, LoadsTwiceAndMoves) {
  static_assert(!std::is_copy_constructible_v<PeerLibrary> && !std::is_copy_assignable_v<PeerLibrary>);
  auto first = PeerLibrary::load(test_peer("sorting_peer"));
  auto second = PeerLibrary::load(test_peer("sorting_peer"));
  PeerLibrary moved = std::move(first);
  EXPECT_TRUE(first.implementations().empty());  // NOLINT: what is left of a moved library is defined
  second = std::move(moved);
  EXPECT_STREQ(second.implementations().at(0)->name, "sorting_peer");
}

TEST(PeerLibrary, NamesWhatIsWrongWithATable) {
  struct Fault {
    const char* library;
    const char* expected;
    const char* found;
  };
  for (const Fault& fault : {
           Fault{"faulty_old_version", "expected in implementation 0 abi_version 1", "found 99"},
           Fault{"faulty_small_struct", "struct_size", "found 16"},
           Fault{"faulty_no_run", "a value in run", "found NULL"},
           Fault{"faulty_no_name", "a value in name", "found NULL"},
           Fault{"faulty_bad_name", "letters, digits", "found 'a/b'"},
           Fault{"faulty_unknown_promise", "promises", "unknown bits 2147483648"},
           Fault{"faulty_same_name", "expected in implementation 1 a name of its own", "'spoilt' a second time"},
           Fault{"faulty_endless", "at most 64 implementations", "no NULL from keysieve_peer_at(64)"},
           Fault{"faulty_empty", "at least one implementation", "NULL from keysieve_peer_at(0)"},
       }) {
    const std::string path = test_peer(fault.library);
    EXPECT_THAT(message_of_load(path),
                AllOf(HasSubstr(path + ": expected "), HasSubstr(fault.expected), HasSubstr(fault.found)));
  }
}

TEST(PeerLibrary, RefusesWhatIsNoPeer) {
  EXPECT_THAT(message_of_load("no_such_peer.so"), AllOf(HasSubstr("no_such_peer.so"), HasSubstr("no such file")));
  EXPECT_THAT(message_of_load(NOT_A_PEER), HasSubstr("expected the symbol keysieve_peer_at"));
  EXPECT_THAT(message_of_load(NOT_A_LIBRARY),
              HasSubstr(NOT_A_LIBRARY ": expected a shared library that can be loaded"));
}

// dlopen alone would search the system's folders for a bare name and find the C library.
TEST(PeerLibrary, BareNamesAreFilesOfTheWorkingDirectory) {
  EXPECT_THAT(message_of_load("libc.so.6"), HasSubstr("no such file"));
}

}  // namespace
}  // namespace keysieve::peer
