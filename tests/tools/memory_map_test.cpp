#include "io/memory_map.hpp"

#include <sys/stat.h>

#include "file_helpers.hpp"

namespace keysieve::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;

TEST(MemoryMap, ShowsTheBytes) {
  const TemporaryFolder folder;
  write_file(folder.file("x"), "abc");
  const MemoryMap map(folder.file("x"));
  ASSERT_EQ(map.bytes().size(), 3u);
  EXPECT_EQ(std::to_integer<char>(map.bytes()[2]), 'c');
}

TEST(MemoryMap, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  write_file(folder.file("x"), "");
  EXPECT_TRUE(MemoryMap(folder.file("x")).bytes().empty());
}

TEST(MemoryMap, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path) { return error_of([&] { MemoryMap map(path); }, path); };
  EXPECT_THAT(refusal(folder.file("missing")), HasSubstr("No such file"));
  EXPECT_THAT(refusal(folder.file("")), HasSubstr("a directory"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("device"));
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder.file("pipe")), HasSubstr("pipe"));  // and does not wait for a writer
}

TEST(MemoryMap, IdentityFollowsLinks) {
  const TemporaryFolder folder;
  write_file(folder.file("x"), "abc");
  write_file(folder.file("y"), "abc");
  std::filesystem::create_symlink("x", folder.file("link"));
  EXPECT_EQ(MemoryMap(folder.file("x")).identity(), MemoryMap(folder.file("link")).identity());
  EXPECT_NE(MemoryMap(folder.file("x")).identity(), MemoryMap(folder.file("y")).identity());
}

TEST(MemoryMap, KnowsWhichFileAnAddressBelongsTo) {
  const TemporaryFolder folder;
  write_file(folder.file("x"), "abc");
  const void* address = nullptr;
  {
    MemoryMap map(folder.file("x"));
    address = map.bytes().data();
    const MemoryMap moved(std::move(map));
    EXPECT_THAT(MemoryMap::path_at(address), StrEq(folder.file("x")));
    EXPECT_EQ(MemoryMap::path_at(&address), nullptr);
  }
  EXPECT_EQ(MemoryMap::path_at(address), nullptr);
}

}  // namespace
}  // namespace keysieve::io
