#include "io/npy_header.hpp"

#include "io/file_error.hpp"

namespace keysieve::io {

namespace {

constexpr std::size_t kMaxDimensions = 64;  // NumPy 2's own limit

class Parser {
 public:
  Parser(std::string_view text, std::string_view path) : text_(text), path_(path) {}

  NpyHeader parse() {
    expect('{', "'{'");
    bool has_descr = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      const std::string key = parse_string("a key or '}'");
      expect(':', "':'");
      if (key == "descr" && !has_descr) {
        has_descr = true;
        if (peek() == '[') {
          // A list of fields nests without limit, and no such file can be used: stop here.
          header_.structured = true;
          return header_;
        }
        header_.descr = parse_string("a dtype string");
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header_.fortran_order = parse_bool();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        parse_shape();
      } else {
        throw_file_error(path_, "a .npy header with the keys descr, fortran_order and shape, once each",
                         std::string("key ") + quote(key));
      }
      if (!accept(',') && peek() != '}') fail("',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) fail("only blanks after the dictionary");
    if (!has_descr || !has_order || !has_shape) {
      throw_file_error(path_, "a .npy header with the keys descr, fortran_order and shape",
                       std::string("no key ") + (!has_descr   ? "descr"
                                                 : !has_order ? "fortran_order"
                                                              : "shape"));
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string where = std::string(expected) + " at byte " + std::to_string(at_) + " of the .npy header";
    throw_file_error(path_, where, at_ < text_.size() ? quote(text_.substr(at_, 12)) : std::string("its end"));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char c, std::string_view name) {
    if (!accept(c)) fail(name);
  }

  // No escapes: no dtype string and none of the three keys needs one.
  std::string parse_string(std::string_view expected) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(expected);
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a closed string");
    const std::string_view body = text_.substr(at_ + 1, end - at_ - 1);
    if (body.find('\\') != std::string_view::npos) fail("a string without escapes");
    at_ = end + 1;
    return std::string(body);
  }

  bool parse_bool() {
    peek();
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("True")) {
      at_ += 4;
      return true;
    }
    if (!rest.starts_with("False")) fail("True or False");
    at_ += 5;
    return false;
  }

  void parse_shape() {
    expect('(', "a tuple");
    while (!accept(')')) {
      if (header_.shape.size() == kMaxDimensions) fail("at most 64 dimensions");
      header_.shape.push_back(parse_dimension());
      if (!accept(',')) {
        // (3) is a number in Python, not a tuple.
        if (header_.shape.size() == 1) fail("',' in a tuple of one");
        if (peek() != ')') fail("',' or ')'");
      }
    }
  }

  std::int64_t parse_dimension() {
    peek();
    const std::size_t begin = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
        at_ = begin;
        fail("a dimension below 2**63");
      }
      ++at_;
    }
    if (at_ == begin) fail("a dimension that is a number >= 0");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }

  std::string_view text_;
  std::string_view path_;
  std::size_t at_ = 0;
  NpyHeader header_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view path) { return Parser(text, path).parse(); }

}  // namespace keysieve::io
