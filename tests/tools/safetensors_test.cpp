#include "io/safetensors.hpp"

#include "file_helpers.hpp"

namespace keysieve::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string safetensors_file(std::string_view header, std::string_view data = "") {
  return little_endian(header.size(), 8) + std::string(header) + std::string(data);
}

std::string refusal(std::string_view file) {
  return error_of([&] { parse_safetensors(bytes_of(file), "x.safetensors"); }, "x.safetensors");
}

std::string refuse_header(std::string_view header, std::string_view data = "") {
  return refusal(safetensors_file(header, data));
}

TEST(Safetensors, ReadsTensorsInFileOrder) {
  const std::string file = safetensors_file(R"({"__metadata__":{"format":"pt","note":"x"},)"
                                            R"("b":{"dtype":"BF16","shape":[2,2],"data_offsets":[4,12]},)"
                                            R"("a":{"shape":[2],"data_offsets":[0,4],"dtype":"F16"},)"
                                            R"("c":{"dtype":"I64","shape":[0,3],"data_offsets":[12,12]},)"
                                            R"("s":{"dtype":"F32","shape":[],"data_offsets":[12,16]}}   )",
                                            "AAAAbbbbBBBBssss");
  const std::vector<NamedTensor> tensors = parse_safetensors(bytes_of(file), "x.safetensors");
  ASSERT_EQ(tensors.size(), 4u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].tensor.type, ElementType::kFloat16);
  EXPECT_EQ(tensors[1].name, "b");
  EXPECT_EQ(tensors[1].tensor.type, ElementType::kBFloat16);
  EXPECT_EQ(tensors[1].tensor.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(std::to_integer<char>(tensors[1].tensor.data[0]), 'b');
  EXPECT_EQ(tensors[1].tensor.data.size(), 8u);
  EXPECT_EQ(tensors[2].name, "c");
  EXPECT_EQ(tensors[3].name, "s");
  EXPECT_TRUE(tensors[3].tensor.shape.empty());
}

TEST(Safetensors, ReadsFilesOfNoTensors) {
  EXPECT_TRUE(parse_safetensors(bytes_of(safetensors_file("{}")), "x").empty());
  EXPECT_TRUE(parse_safetensors(bytes_of(safetensors_file(R"({"__metadata__":{}})")), "x").empty());
}

TEST(Safetensors, KeepsTensorsOfTypesItDoesNotKnow) {
  const std::string file = safetensors_file(R"({"q":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]},)"
                                            R"("z":{"dtype":"Z9","shape":[7],"data_offsets":[3,8]}})",
                                            "12345678");
  const std::vector<NamedTensor> tensors = parse_safetensors(bytes_of(file), "x");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[1].tensor.type, ElementType::kOther);
  EXPECT_EQ(tensors[1].tensor.type_name, "Z9");
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string file = safetensors_file(R"({"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})", "12345678");
  for (std::size_t size = 0; size < file.size(); ++size) refusal(std::string_view(file).substr(0, size));
  refusal(file + "x");
  EXPECT_EQ(parse_safetensors(bytes_of(file), "x").size(), 1u);
}

TEST(Safetensors, RefusesHeaderLengthsThatLie) {
  EXPECT_THAT(refusal(little_endian(100, 8) + "{}"), HasSubstr("header of 100 bytes"));
  EXPECT_THAT(refusal(little_endian(100'000'001, 8) + "{}"), HasSubstr("at most 100000000"));
  EXPECT_THAT(refusal(little_endian(~0ULL, 8) + "{}"), HasSubstr("18446744073709551615"));
  EXPECT_THAT(refusal(little_endian(0, 8)), HasSubstr("begins with '{'"));
}

TEST(Safetensors, RefusesOffsetsOutsideOverlappingOrWithHoles) {
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})", "123"),
              AllOf(HasSubstr("'a'"), HasSubstr("inside 3 bytes"), HasSubstr("[0, 9)")));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})", "123"), HasSubstr("[2, 1)"));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                            R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                            "123"),
              AllOf(HasSubstr("'b'"), HasSubstr("no overlap")));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "123"), HasSubstr("no hole"));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "123"),
              HasSubstr("expected 2 bytes of data"));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}})"), HasSubstr("-1"));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]}})", "1"),
              HasSubstr("18446744073709551615)"));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551616]}})", "1"),
              HasSubstr("18446744073709551616"));
}

TEST(Safetensors, RefusesSizesThatDisagreeOrOverflow) {
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234"),
              AllOf(HasSubstr("expected 8 bytes"), HasSubstr("found 4")));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
              HasSubstr("found (4294967296, 4294967296)"));
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"F32","shape":[9223372036854775808,0],"data_offsets":[0,0]}})"),
              HasSubstr("below 2**63"));
}

TEST(Safetensors, RefusesHeadersOfAnotherShape) {
  for (const char* header :
       {"[]",
        "1",
        "null",
        " {}",
        "\xef\xbb\xbf{}",
        "{",
        "{}{}",
        "{\"a\"}",
        R"({"a":1})",
        R"({"a":null})",
        R"({"a":[]})",
        R"({"a":"x"})",
        R"({"a":{}})",
        R"({"a":{"dtype":"U8"}})",
        R"({"a":{"dtype":"U8","shape":[0]}})",
        R"({"a":{"shape":[0],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","data_offsets":[0,0]}})",
        R"({"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":["U8"],"shape":[0],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":0,"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":"0","data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":[[0]],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":[0.0],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":[true],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":{},"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}})",
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}})",
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[]}})",
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})",
        R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
        R"({"__metadata__":{"a":1}})",
        R"({"__metadata__":{"a":{}}})",
        R"({"__metadata__":[]})",
        R"({"__metadata__":"x"})",
        "{\"\xff\":{}}"}) {
    refuse_header(header);
  }
}

TEST(Safetensors, DeepNestingIsRefusedWithoutRecursion) {
  std::string bomb = R"({"a":)";
  bomb.append(10'000'000, '[');
  EXPECT_THAT(refuse_header(bomb), HasSubstr("an array"));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += R"({"a":)";
  refuse_header(objects);
}

TEST(Safetensors, MessagesEscapeAndCutNames) {
  const std::string name(1'000'000, 'n');
  EXPECT_LT(refuse_header("{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})").size(), 400u);
  EXPECT_THAT(refuse_header(R"({"a\n\u2028":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})"),
              HasSubstr("'a\\x0a\\xe2\\x80\\xa8'"));
}

TEST(Safetensors, RefusesManyDimensions) {
  std::string shape = "1";
  for (int i = 0; i < 64; ++i) shape += ",1";
  EXPECT_THAT(refuse_header(R"({"a":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":[0,1]}})", "x"),
              HasSubstr("64 dimensions"));
}

}  // namespace
}  // namespace keysieve::io
