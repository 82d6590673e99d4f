// Names of the user in CUDA C++, and text of the user in comments.
#include "codegen/names.h"

#include <gtest/gtest.h>

#include "codegen/text.h"

namespace cdsl::cuda {
namespace {

TEST(CodegenNames, WhatCanStandStays) {
  for (const char* name :
       {"x", "N", "acc", "Body", "u_new", "kernel", "clamp", "I", "Y0", "y0", "index"}) {
    EXPECT_EQ(safe_identifier(name, false), name);
  }
}

TEST(CodegenNames, KeywordsBuiltinsAndMacrosGetAnUnderscore) {
  for (const char* name :
       {"asm",       "do",         "float",    "int",     "template",  "new",        "for",
        "double",    "main",       "min",      "max",     "threadIdx", "blockDim",   "warpSize",
        "atomicAdd", "half",       "INFINITY", "NULL",    "assert",    "float4",     "INT_MAX",
        "M_PI",      "cudaMalloc", "f16",      "max_nan", "expf",      "cdsl_report"}) {
    EXPECT_EQ(safe_identifier(name, false), std::string(name) + "_");
  }
}

TEST(CodegenNames, LibraryFunctionsMayBeHiddenButNotRedeclared) {
  EXPECT_EQ(safe_identifier("y0", true), "y0_");
  EXPECT_EQ(safe_identifier("div", true), "div_");
}

TEST(CodegenNames, ReservedShapesAreBrokenUp) {
  EXPECT_EQ(safe_identifier("_x", false), "v_x");
  EXPECT_EQ(safe_identifier("__global__", false), "v_global_");
  EXPECT_EQ(safe_identifier("a__b", false), "a_b");
  EXPECT_EQ(safe_identifier("p.x", false), "p_x");
  EXPECT_EQ(safe_identifier("", false), "v");
  EXPECT_EQ(safe_identifier("3d", false), "v3d");
  EXPECT_LT(safe_identifier(std::string(100'000, 'a'), false).size(), 300u);
}

TEST(CodegenNames, VisibleNamesAreUnique) {
  Scopes scopes;
  EXPECT_EQ(scopes.declare("x"), "x");
  EXPECT_EQ(scopes.declare("x"), "x_1");
  EXPECT_EQ(scopes.declare("X"), "X");
  EXPECT_EQ(scopes.declare("min"), "min_");
  EXPECT_EQ(scopes.declare("min_"), "min_1");
  scopes.push();
  EXPECT_EQ(scopes.declare("i"), "i");
  scopes.pop();
  EXPECT_EQ(scopes.declare("i"), "i") << "free again outside its scope";
}

TEST(CodegenNames, AnInnerScopeSeesTheNamesAroundIt) {
  Scopes file(Scopes::Outermost::File);
  EXPECT_EQ(file.declare("x"), "x");
  Scopes kernel(&file);
  EXPECT_EQ(kernel.declare("x"), "x_1");
  EXPECT_EQ(file.declare("later"), "later");
  EXPECT_EQ(kernel.declare("later"), "later_1");
}

TEST(CodegenNames, ManyEqualNamesTakeNoTime) {
  Scopes scopes;
  for (int k = 0; k < 100'000; ++k) scopes.declare("x");
  EXPECT_EQ(scopes.declare("x"), "x_100000");
}

TEST(CodegenComments, CannotBeBrokenOutOf) {
  EXPECT_EQ(comment_safe("path\\"), "path\\.");
  EXPECT_EQ(comment_safe("path\\  "), "path\\.");
  EXPECT_EQ(comment_safe("what?\?/"), "what? ?/");
  EXPECT_EQ(comment_safe(std::string("a\0b\x07", 4)), "a\\u{0}b\\u{7}");
  EXPECT_EQ(comment_safe("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(comment_safe("\xe2\x80\xae"
                         "evil"),
            "\\u{202e}evil");
  EXPECT_EQ(comment_safe("caf\xc3\xa9"), "caf\xc3\xa9");
  Writer out;
  out.quote("one\r\ntwo\nthree\rfour");
  EXPECT_EQ(out.text(), "// one\n// two\n// three\n// four\n");
}

TEST(CodegenComments, StringLiterals) {
  EXPECT_EQ(string_literal("a\"b\\c\n?\?="), "\"a\\\"b\\\\c\\012\\?\\?=\"");
}

TEST(CodegenText, LongLinesBreakAtTheOutermostLevel) {
  std::string text = "y = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,";
  text += kBreak;
  text += "bbbbbbbbbbbbbbbbbbbb) +";
  text += kBreak;
  text += "g(cccccccccccccccccccccccc,";
  text += kBreak;
  text += "dddddddddddddddd);";
  EXPECT_EQ(fold_line(text, 2),
            "  y = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbb) +\n"
            "      g(cccccccccccccccccccccccc, dddddddddddddddd);");
}

}  // namespace
}  // namespace cdsl::cuda
