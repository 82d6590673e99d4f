#include "fuzz/token_program.h"

#include <array>
#include <string_view>

namespace cdsl::fuzz {
namespace {

using Words = std::string_view;

constexpr Words kTypes[] = {"f32", "f64", "i32", "i64", "f16", "bf16", "u8", "i8", "u32", "bool", "c64", "T", "P", "f8e4m3"};
constexpr Words kExtents[] = {"N", "M", "N", "4", "3", "0", "1", "N + 1", "N / 2", "2 * M", "1|N", "N - 1", "2147483648"};
constexpr Words kInputs[] = {"x", "x", "a", "b", "s", "p"};
constexpr Words kOutputs[] = {"y", "z", "u", "v"};
constexpr Words kInner[] = {"t", "w", "q"};
constexpr Words kIndices[] = {"i", "j", "k"};
constexpr Words kNumbers[] = {"0", "1", "2", "3", "-1", "0.5", "1.0", "7", "255", "1e-5", "inf", "nan", "2147483647",
                              "9223372036854775807", "0x80000000", "true", "N", "M", "1e300"};
constexpr Words kBinary[] = {"+", "-", "*", "/", "%", "<", "<=", "==", "!=", "&&", "||", "&", "|", "^", "<<", ">>", ">", ">="};
constexpr Words kUnary[] = {"-", "!", "~"};
constexpr Words kFunctions[] = {"exp", "sqrt", "abs", "min", "max", "floordiv", "floormod", "select", "fma", "log", "f32", "i32",
                                "f16", "u8", "i64", "bool", "pow", "sigmoid", "isnan", "popcount", "d", "P"};
constexpr Words kReductions[] = {"sum", "max", "min", "prod", "argmax", "argmin", "any", "all", "count", "r"};
constexpr Words kModes[] = {"clamp", "wrap", "zero", "reflect", "symmetric", "fill(1)", "holes(2)", "unchecked", "fill(x[i])"};
constexpr Words kScatters[] = {"+=", "=", "*=", "min=", "max=", "|=", "&=", "^="};
constexpr Words kRaw[] = {"(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "..", "..=", "->", "@", "=", "fn", "let", "if",
                          "else", "in", "where", "require", "inout", "struct", "const", "def", "reducer", "identity",
                          "schedule", "expect", "import", "layout", "aosoa", "//", "/*", "*/", "\"", "\n", "tmp", "along",
                          "until", "from", "with", "unique", "aligned", "noalias", "precision"};
constexpr Words kDirectives[] = {"y: tile(i: 32)", "y: threads(64)", "y: map(flat)", "y: vector(4)", "fuse(t, y)", "y: unroll(k: 4)",
                                 "sizes N in {1024, 7}", "loop(k: block)", "y: map(lanes.i)", "t: place(shared)", "y: scan(blocks)",
                                 "y: shares(4)", "t: layout(soa)", "separate(t, y)", "y: map(warp.j)", "y: branch(select)"};

class Writer {
 public:
  Writer(const uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::string program() {
    while (at_ != end_) item();
    return std::move(out_);
  }

 private:
  static constexpr int kDeepest = 12;

  unsigned byte() { return at_ == end_ ? 0 : *at_++; }
  /// True in `part` of 16 cases, and never once the bytes have ended.
  bool often(unsigned part) { return byte() % 16 + part >= 16; }
  template <std::size_t Count>
  void pick(const Words (&words)[Count]) {
    put(words[byte() % Count]);
  }
  void put(Words text) {
    out_ += text;
    out_ += ' ';
  }

  void item() {
    switch (byte() % 12) {
      case 0: return put("struct P { x: f32; m: i32[2]; }\n");
      case 1: put("const c: f32[3] = ["), expr(9), put(","), expr(9), put(", 1];\n"); return;
      case 2: put("def d(x) ="), expr(5), put(";\n"); return;
      case 3: put("reducer r(a: f32, b) identity"), pick(kNumbers), put("="), expr(5), put(";\n"); return;
      case 4: put("schedule f {"), directives(), put("}\n"); return;
      case 5: put("expect f { kernels <="), expr(9), put("; }\n"); return;
      case 6: pick(kRaw), put("\n"); return;
      default: return function();
    }
  }

  void directives() {
    do {
      pick(kDirectives);
      put(";");
    } while (often(8));
  }

  void function() {
    put(functions_++ == 0 ? "fn f" : "fn g");
    if (often(3)) put("<T: float>");
    put("(");
    for (int k = 0; k == 0 || often(9); ++k) {
      if (k > 0) put(",");
      if (often(2)) put("inout");
      put(kInputs[1 + k % 5]);
      type(k);
    }
    put(") -> (");
    for (int k = 0; k == 0 || (often(5) && k < 4); ++k) {
      if (k > 0) put(",");
      put(kOutputs[k]);
      type(k);
    }
    put(")");
    if (often(2)) put("where"), expr(8);
    block(0);
  }

  void type(int k) {
    put(":");
    pick(kTypes);
    const unsigned rank = byte() % 4;
    if (rank == 0 && k > 0) return;
    put("[");
    for (unsigned axis = 0; axis < rank; ++axis) {
      if (axis > 0) put(",");
      pick(kExtents);
    }
    put("]");
    if (often(1)) put("layout(soa)");
    if (often(1)) put("strided");
  }

  void block(int depth) {
    put("{\n");
    do {
      statement(depth);
    } while (often(9));
    put("}\n");
  }

  void statement(int depth) {
    switch (byte() % 12) {
      case 0: put("let"), pick(kInner), put("="), expr(depth), put(";\n"); return;
      case 1: put("tmp"), pick(kInner), type(0), put(";\n"); return;
      case 2: put("scatter ["), binders(depth), put("]"), target(depth), pick(kScatters), expr(depth), put(";\n"); return;
      case 3:
        if (depth > 3) return;
        put("repeat"), pick(kIndices), put("in 0 .."), expr(8);
        if (often(6)) put("from"), pick(kOutputs), put("="), pick(kInputs);
        if (often(3)) put("until"), expr(depth + 2);
        return block(depth + 1);
      case 4:
        if (depth > 3) return;
        put("along"), pick(kIndices), put("in"), expr(8), put(".."), expr(8);
        if (often(4)) put("descending");
        return block(depth + 1);
      case 5: pick(kOutputs), put("= g("), pick(kInputs), put(");\n"); return;
      case 6: put("("), target(depth), put(","), target(depth), put(") ="), expr(depth), put(";\n"); return;
      case 7: return pick(kRaw);
      default: target(depth), put("="), expr(depth), put(";\n"); return;
    }
  }

  void target(int depth) {
    if (often(11))
      pick(kOutputs);
    else
      pick(kInner);
    const unsigned rank = byte() % 4;
    if (rank == 0) return;
    put("[");
    for (unsigned axis = 0; axis < rank; ++axis) {
      if (axis > 0) put(",");
      if (often(13))
        put(kIndices[axis]);
      else
        pick(kIndices);
      if (often(4)) range(depth + 3);
    }
    if (often(1)) put("if"), expr(depth + 3);
    put("]");
  }

  void range(int depth) {
    put("in"), expr(depth), put(often(4) ? "..=" : ".."), expr(depth);
  }

  void binders(int depth) {
    do {
      pick(kIndices);
      if (often(6)) range(depth + 3);
    } while (often(5) && (put(","), true));
    if (often(2)) put("if"), expr(depth + 3);
  }

  void expr(int depth) {
    if (depth >= kDeepest) return pick(kNumbers);
    switch (byte() % 14) {
      case 0: case 1: return pick(kNumbers);
      case 2: return pick(kIndices);
      case 3: put("("), expr(depth + 1), pick(kBinary), expr(depth + 1), put(")"); return;
      case 4: expr(depth + 1), pick(kBinary), expr(depth + 1); return;
      case 5: pick(kUnary), expr(depth + 1); return;
      case 6:
        pick(kFunctions), put("("), expr(depth + 1);
        while (often(6)) put(","), expr(depth + 1);
        return put(")");
      case 7: pick(kReductions), put("["), binders(depth + 1), put("] ("), expr(depth + 1), put(")"); return;
      case 8: put("(if"), expr(depth + 1), put("{"), expr(depth + 1), put("} else {"), expr(depth + 1), put("})"); return;
      case 9: expr(depth + 1), put(often(4) ? ".0" : ".x"); return;
      case 10: put("("), expr(depth + 1), put(","), expr(depth + 1), put(")"); return;
      default: return read(depth);
    }
  }

  void read(int depth) {
    switch (byte() % 4) {
      case 0: pick(kInner); break;
      case 1: pick(kOutputs); break;
      default: pick(kInputs);
    }
    const unsigned rank = byte() % 4;
    if (rank == 0) return;
    put("[");
    for (unsigned axis = 0; axis < rank; ++axis) {
      if (axis > 0) put(",");
      if (often(11))
        pick(kIndices);
      else
        expr(depth + 2);
      if (often(3)) put("@"), pick(kModes);
    }
    put("]");
  }

  const uint8_t* at_;
  const uint8_t* end_;
  std::string out_;
  int functions_ = 0;
};

}  // namespace

std::string token_program(const uint8_t* data, std::size_t size) {
  return Writer(data, size).program();
}

}  // namespace cdsl::fuzz
