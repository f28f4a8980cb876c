#include "io/npy.hpp"

#include <cstring>

#include "file_helpers.hpp"

namespace keysieve::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string npy_file(std::string_view header, std::string_view data, int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  file += little_endian(header.size(), major == 1 ? 2 : 4);
  file += header;
  file += data;
  return file;
}

std::string dictionary(std::string_view descr, std::string_view shape, std::string_view fortran = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran) +
         ", 'shape': " + std::string(shape) + ", }\n";
}

std::string refusal(std::string_view file) {
  return error_of([&] { parse_npy(bytes_of(file), "x.npy"); }, "x.npy");
}

TEST(Npy, ReadsEveryTypeAndVersion) {
  const struct {
    const char* descr;
    ElementType type;
    std::size_t size;
  } types[] = {{"<f4", ElementType::kFloat32, 4},
               {"=f4", ElementType::kFloat32, 4},
               {"<f2", ElementType::kFloat16, 2},
               {"<i4", ElementType::kInt32, 4},
               {"<i8", ElementType::kInt64, 8}};
  for (const auto& type : types) {
    for (int major = 1; major <= 3; ++major) {
      std::string data;
      for (std::size_t i = 0; i < 6 * type.size; ++i) data += static_cast<char>(i);
      const std::string file = npy_file(dictionary(type.descr, "(2, 3)"), data, major);
      const Tensor tensor = parse_npy(bytes_of(file), "x.npy");
      EXPECT_EQ(tensor.type, type.type);
      EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{2, 3}));
      ASSERT_EQ(tensor.data.size(), data.size());
      EXPECT_EQ(std::memcmp(tensor.data.data(), data.data(), data.size()), 0) << type.descr << " v" << major;
    }
  }
}

TEST(Npy, ReadsOtherSpellingsOfTheHeader) {
  const std::string zeros(24, '\0');
  for (const char* header : {"{\"shape\":(6,),\"descr\":\"<f4\",\"fortran_order\":False}",
                             "{ 'fortran_order' : False , 'shape' : ( 6 , ) , 'descr' : '<f4' }      \n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }\n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 6), }"}) {
    EXPECT_EQ(parse_npy(bytes_of(npy_file(header, zeros)), "x.npy").data.size(), 24u) << header;
  }
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_TRUE(parse_npy(bytes_of(npy_file(dictionary("<i4", "()"), "abcd")), "x.npy").shape.empty());
  // Zero elements, though the other dimensions alone would overflow.
  const Tensor empty = parse_npy(bytes_of(npy_file(dictionary("<f4", "(4611686018427387904, 8, 0)"), "")), "x.npy");
  EXPECT_EQ(empty.data.size(), 0u);
}

TEST(Npy, EveryTruncationIsRefused) {
  for (int major = 1; major <= 3; ++major) {
    const std::string file = npy_file(dictionary("<f4", "(2, 3)"), std::string(24, 'x'), major);
    for (std::size_t size = 0; size < file.size(); ++size) refusal(std::string_view(file).substr(0, size));
    EXPECT_EQ(parse_npy(bytes_of(file), "x.npy").data.size(), 24u);
  }
}

TEST(Npy, NamesBothSizesWhenTheFileLies) {
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", "(1000, 1000)"), "12345678")),
              AllOf(HasSubstr("expected 4000000 bytes of data"), HasSubstr("(1000, 1000)"), HasSubstr("found 8")));
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", "(1,)"), "12345678")), HasSubstr("expected 4 bytes"));
}

TEST(Npy, RefusesShapesThatOverflow) {
  for (const char* shape : {"(4294967296, 4294967296)", "(4294967296, 4294967296, 4294967296, 4294967296)",
                            "(9223372036854775807,)", "(2305843009213693952, 2)"}) {
    EXPECT_THAT(refusal(npy_file(dictionary("<f4", shape), "")), HasSubstr("found (")) << shape;
  }
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", "(9223372036854775808,)"), "")), HasSubstr("below 2**63"));
}

TEST(Npy, NamesTheDtypeItCannotRead) {
  const struct {
    const char* descr;
    const char* found;
  } cases[] = {{"|O", "object dtype '|O'"},
               {">f4", "big-endian dtype '>f4'"},
               {"<f8", "dtype '<f8'"},
               {"|V2", "raw dtype '|V2'"},
               {"|b1", "dtype '|b1'"},
               {"<U5", "dtype '<U5'"},
               {"<i2", "dtype '<i2'"},
               {"<u4", "dtype '<u4'"},
               {"<c8", "dtype '<c8'"},
               {"|f4", "dtype '|f4'"},
               {"", "dtype ''"},
               {"<", "dtype '<'"},
               {"<f4x", "dtype '<f4x'"}};
  for (const auto& c : cases) {
    EXPECT_THAT(refusal(npy_file(dictionary(c.descr, "(2,)"), std::string(8, '\0'))), HasSubstr(c.found)) << c.descr;
  }
  EXPECT_THAT(refusal(npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
              HasSubstr("structured dtype"));
}

TEST(Npy, RefusesFortranOrder) {
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", "(2, 2)", "True"), std::string(16, '\0'))), HasSubstr("Fortran"));
}

TEST(Npy, RefusesMalformedHeaders) {
  for (const char* header : {"",
                             "{",
                             "{}",
                             "[]",
                             "{'descr'}",
                             "{'descr': }",
                             "{'descr': '<f4'}",
                             "{'descr': '<f4",
                             "{'descr': '<f4', 'fortran_order': False}",
                             "{'descr': '<f4', 'shape': (1,)}",
                             "{'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
                             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
                             "{'descr': 4, 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
                             "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} {}",
                             "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}"}) {
    refusal(npy_file(header, "abcd"));
  }
}

TEST(Npy, RefusesManyDimensions) {
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1, ";
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", shape + ")"), "abcd")), HasSubstr("64 dimensions"));
}

TEST(Npy, RefusesOtherVersionsAndHugeHeaders) {
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", "(1,)"), "abcd", 4)), HasSubstr("found 4.0"));
  EXPECT_THAT(refusal(npy_file(dictionary("<f4", "(1,)"), "abcd", 0)), HasSubstr("found 0.0"));
  EXPECT_THAT(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), HasSubstr("4294967295"));
  EXPECT_THAT(refusal(npy_file(std::string(2 << 20, ' '), "", 2)), HasSubstr("at most 1048576"));
}

TEST(Npy, MessagesEscapeWhatTheFileHolds) {
  const std::string message = refusal(npy_file(dictionary("<f4\n\x1b[2J\xe2\x80\xa8", "(1,)"), "abcd"));
  EXPECT_THAT(message, HasSubstr("\\x0a\\x1b[2J\\xe2\\x80\\xa8"));
  EXPECT_LT(refusal(npy_file(dictionary(std::string(60000, 'z'), "(1,)"), "abcd", 2)).size(), 400u);
}

TEST(NpyWriter, WritesWhatTheReaderReads) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.npy");
  NpyWriter writer(path, ElementType::kInt32, {3, 2});
  const std::int32_t values[] = {1, -2, 3, -4, 5, -6};
  writer.append(std::as_bytes(std::span(values).first(4)));
  writer.append(std::as_bytes(std::span(values).last(2)));
  writer.finish();
  EXPECT_FALSE(std::filesystem::exists(path)) << "in place before commit";
  writer.commit();

  const std::string file = read_file(path);
  const Tensor tensor = parse_npy(bytes_of(file), path);
  EXPECT_EQ(tensor.type, ElementType::kInt32);
  EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(std::memcmp(tensor.data.data(), values, sizeof values), 0);
  EXPECT_EQ((file.size() - tensor.data.size()) % 64, 0u);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(NpyWriter, HeaderIsWhatNumPyWrites) {
  const std::string header = npy_header(ElementType::kFloat16, {2147483647, 5});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_THAT(header, HasSubstr("{'descr': '<f2', 'fortran_order': False, 'shape': (2147483647, 5), }"));
  EXPECT_THAT(npy_header(ElementType::kInt64, {7}), HasSubstr("'shape': (7,), }"));
}

TEST(NpyWriter, TooMuchOrTooLittleLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.npy");
  const std::int32_t values[] = {1, 2, 3};
  {
    NpyWriter writer(path, ElementType::kInt32, {2});
    EXPECT_THAT(error_of([&] { writer.append(std::as_bytes(std::span(values))); }, path), HasSubstr("found 12"));
    writer.append(std::as_bytes(std::span(values).first(1)));
    EXPECT_THAT(error_of([&] { writer.finish(); }, path), HasSubstr("4 more bytes"));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(NpyWriter, RefusesTypesAndSizesThatNoFileHolds) {
  const TemporaryFolder folder;
  EXPECT_THROW(NpyWriter(folder.file("a.npy"), ElementType::kBFloat16, {1}), FileError);
  EXPECT_THROW(NpyWriter(folder.file("b.npy"), ElementType::kInt64, {1LL << 40, 1LL << 40}), FileError);
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace keysieve::io
