// What -D and --in may say.
#include <gtest/gtest.h>

#include <cmath>

#include "api/defines.h"

namespace cdsl {
namespace {

TEST(Defines, SizesMayBeInUnitsOf1024) {
  Defines defines;
  for (const char* text : {"A=4k", "B=1M", "C=2G", "D=0k"}) EXPECT_FALSE(add_define(defines, text).has_value()) << text;
  EXPECT_EQ(defines.sizes, (std::map<std::string, int64_t>{{"A", 4096}, {"B", 1 << 20}, {"C", int64_t{2} << 30}, {"D", 0}}));
  for (const char* text : {"E=k", "E=4K", "E=4km", "E=1.5k", "E=9000000000000000G"}) EXPECT_TRUE(add_define(defines, text).has_value()) << text;
}

TEST(Defines, AreSortedByTheirValue) {
  Defines defines;
  for (const char* text : {"N=1000", "T=bf16", "dt=0.1", "on=true", "M=0x10", "z=1+2j"}) {
    EXPECT_FALSE(add_define(defines, text).has_value()) << text;
  }
  EXPECT_EQ(defines.sizes, (std::map<std::string, int64_t>{{"M", 16}, {"N", 1000}}));
  EXPECT_EQ(defines.types, (std::map<std::string, ScalarType>{{"T", ScalarType::BF16}}));
  EXPECT_EQ(defines.values.at("dt"), "0.1");
  EXPECT_EQ(defines.values.size(), 3u);
}

TEST(Defines, RefuseWhatIsNoDefinition) {
  for (const char* text :
       {"", "N", "=3", "3=N", "N=", "N=many", "N=1 2", "a b=1", "N=--3", "N=0x"}) {
    Defines defines;
    EXPECT_TRUE(add_define(defines, text).has_value()) << text;
  }
  Defines defines;
  add_define(defines, "N=1");
  EXPECT_NE(add_define(defines, "N=f32")->message.find("twice"), std::string::npos);
}

TEST(Scalars, KeepTheRangeOfTheirType) {
  EXPECT_EQ(parse_scalar("-128", ScalarType::I8)->i, -128);
  EXPECT_EQ(parse_scalar("18446744073709551615", ScalarType::U64)->bits(), ~uint64_t{0});
  EXPECT_EQ(parse_scalar("True", ScalarType::Bool)->i, 1);
  EXPECT_EQ(parse_scalar("0.1", ScalarType::F32)->re, static_cast<double>(0.1f));
  EXPECT_EQ(parse_scalar("3", ScalarType::F16)->re, 3.0);
  EXPECT_TRUE(std::isinf(parse_scalar("-inf", ScalarType::F64)->re));
  EXPECT_TRUE(std::isnan(parse_scalar("nan", ScalarType::F32)->re));
  const auto complex = parse_scalar("1e-3-2.5j", ScalarType::C128);
  EXPECT_EQ(complex->re, 1e-3);
  EXPECT_EQ(complex->im, -2.5);
  for (const auto& [text, type] : {std::pair{"128", ScalarType::I8},
                                   {"-1", ScalarType::U64},
                                   {"-1", ScalarType::U8},
                                   {"2.5", ScalarType::I32},
                                   {"x", ScalarType::F32},
                                   {"", ScalarType::F32},
                                   {"1.0x", ScalarType::F64},
                                   {"2", ScalarType::Bool},
                                   {"1+j2", ScalarType::C64}}) {
    EXPECT_FALSE(parse_scalar(text, type).ok()) << text;
  }
}

}  // namespace
}  // namespace cdsl
