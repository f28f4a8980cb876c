#include "io/atomic_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "file_helpers.hpp"

namespace keysieve::io {
namespace {

using ::testing::HasSubstr;

TEST(AtomicFile, AppearsOnlyAtCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  AtomicFile file(path);
  file.write(bytes_of("hello "));
  file.write(bytes_of("world"));
  file.sync();
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(read_file(path), "hello world");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write(bytes_of("new"));
    EXPECT_EQ(folder.entries(), 2u);
    EXPECT_EQ(read_file(path), "old");
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, ReplacesKeepingPermissionsAndLinks) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink("out", folder.file("link"));
  AtomicFile file(folder.file("link"));
  EXPECT_EQ(file.resolved_path(), resolve_output_path(path));
  file.write(bytes_of("new"));
  file.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0640u);
}

TEST(AtomicFile, ReserveDoesNotChangeTheSize) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("out"));
  file.reserve(1 << 20);
  file.write(bytes_of("abc"));
  file.commit();
  EXPECT_EQ(read_file(folder.file("out")), "abc");
}

TEST(AtomicFile, ReservingMoreThanTheDiskHoldsFails) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  {
    AtomicFile file(path);
    EXPECT_THAT(error_of([&] { file.reserve(std::int64_t{1} << 60); }, path), HasSubstr("cannot write"));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(AtomicFile, RefusesTargetsThatCannotBeReplaced) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path) { return error_of([&] { AtomicFile file(path); }, path); };
  EXPECT_THAT(refusal(folder.file("missing/out")), HasSubstr("existing folder"));
  EXPECT_THAT(refusal(folder.file("")), HasSubstr("a directory"));
  EXPECT_THAT(refusal(folder.file("new/")), HasSubstr("folder name"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("device"));
  write_file(folder.file("plain"), "x");
  EXPECT_THAT(refusal(folder.file("plain/out")), HasSubstr("cannot create"));
  std::filesystem::create_symlink("nowhere", folder.file("dangling"));
  EXPECT_THAT(refusal(folder.file("dangling")), HasSubstr("leads nowhere"));
  EXPECT_THAT(refusal(folder.file(std::string(300, 'x'))), HasSubstr("cannot"));
  EXPECT_THROW(AtomicFile(""), FileError);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(AtomicFile, LongestNamesWork) {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  AtomicFile file(path);
  file.commit();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(AtomicFile, SignalsCanRemoveWhatIsPending) {
  const TemporaryFolder folder;
  AtomicFile first(folder.file("a"));
  AtomicFile second(folder.file("b"));
  const AtomicFile moved(std::move(first));
  EXPECT_EQ(folder.entries(), 2u);
  remove_pending_files();
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(AtomicFile, MoreFilesThanSignalSlotsStillWork) {
  const TemporaryFolder folder;
  std::vector<AtomicFile> files;
  for (int i = 0; i < 40; ++i) files.emplace_back(folder.file(std::to_string(i)));
  for (AtomicFile& file : files) file.commit();
  EXPECT_EQ(folder.entries(), 40u);
}

}  // namespace
}  // namespace keysieve::io
