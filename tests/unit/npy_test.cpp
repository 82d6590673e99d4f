// .npy files: what NumPy writes is read, what is damaged is refused in words.
#include <gtest/gtest.h>

#include "api/npy.h"
#include "dsl/types/arithmetic.h"

namespace cdsl {
namespace {

std::string file_of(const std::string& header, std::size_t data_bytes, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  const std::size_t bytes = version == 1 ? 2 : 4;
  for (std::size_t k = 0; k < bytes; ++k)
    text += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  return text + header + std::string(data_bytes, '\1');
}

std::string failure_of(const std::string& file, ScalarType type = ScalarType::F32) {
  const auto array = parse_npy(file, scalar_record(type));
  return array.ok() ? "no failure" : array.message();
}

TEST(Npy, EveryTypeComesBack) {
  for (int k = 0; k < kScalarTypeCount; ++k) {
    const auto type = static_cast<ScalarType>(k);
    Array array = Array::zeros(scalar_record(type), {2, 3});
    for (int64_t flat = 0; flat < 6; ++flat) {
      array.set(flat, is_complex(type) ? Value::of_complex(static_cast<double>(flat), 1)
                      : is_float(type) ? Value::of_float(static_cast<double>(flat))
                                       : Value::of_int(type == ScalarType::Bool ? flat % 2 : flat));
    }
    const auto back = parse_npy(format_npy(array), array.element);
    ASSERT_TRUE(back.ok()) << name_of(type) << ": " << back.message();
    EXPECT_EQ(back->shape, array.shape);
    EXPECT_EQ(back->bytes, array.bytes) << name_of(type);
  }
}

TEST(Npy, ShapesOfAnyRank) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {5}, {0}, {3, 0, 2}, {1, 2, 3, 4}}) {
    const Array array = Array::zeros(scalar_record(ScalarType::F32), shape);
    const std::string file = format_npy(array);
    EXPECT_EQ((file.size() - array.bytes.size()) % 64, 0u);
    const auto back = parse_npy(file, array.element);
    ASSERT_TRUE(back.ok()) << back.message();
    EXPECT_EQ(back->shape, shape);
  }
}

TEST(Npy, NestedRecordsWithPaddingAndArrays) {
  RecordType record;
  record.name = "Body";
  record.leaves = {{"tag", ScalarType::U8, {}, 0},
                   {"pos", ScalarType::F32, {3}, 4},
                   {"in.id", ScalarType::I16, {}, 16},
                   {"in.m", ScalarType::F64, {}, 24},
                   {"last", ScalarType::Bool, {}, 32}};
  record.size = 40;
  record.alignment = 8;
  Array array = Array::zeros(record, {3});
  for (int64_t k = 0; k < 3; ++k) {
    array.set(k, Value::of_int(k), 0);
    array.set(k, Value::of_float(2.5 + static_cast<double>(k)), 1, 2);
    array.set(k, Value::of_int(-k), 2);
    array.set(k, Value::of_float(1e300), 3);
  }
  const std::string file = format_npy(array);
  EXPECT_NE(file.find("('in', [('id', '<i2'), ('', '|V6'), ('m', '<f8'), ])"), std::string::npos)
      << file.substr(0, 300);
  const auto back = parse_npy(file, record);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(back->bytes, array.bytes);
}

TEST(Npy, FieldsMayLieElsewhereInTheFile) {
  RecordType record;
  record.name = "P";
  record.leaves = {{"x", ScalarType::I32, {}, 0}, {"y", ScalarType::I8, {}, 4}};
  record.size = 8;
  std::string file = file_of(
      "{'descr': [('y', '|i1'), ('x', '>i4')], 'fortran_order': False, 'shape': (1,), }", 0);
  file += std::string("\x07\x00\x00\x01\x02", 5);
  const auto array = parse_npy(file, record);
  ASSERT_TRUE(array.ok()) << array.message();
  EXPECT_EQ(array->get(0, 0).i, 258);
  EXPECT_EQ(array->get(0, 1).i, 7);
}

TEST(Npy, ColumnsFirst) {
  std::string file = file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 0);
  file += std::string("\0\1\2\3\4\5", 6);
  const auto array = parse_npy(file, scalar_record(ScalarType::U8));
  ASSERT_TRUE(array.ok());
  const int64_t wanted[] = {0, 2, 4, 1, 3, 5};
  for (int64_t k = 0; k < 6; ++k) EXPECT_EQ(array->get(k).i, wanted[k]);
}

TEST(Npy, LaterVersionsAndLongHeaders) {
  for (const int version : {2, 3}) {
    EXPECT_EQ(failure_of(
                  file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8, version)),
              "no failure");
  }
}

TEST(Npy, BrainFloatsOfOtherLibraries) {
  EXPECT_EQ(failure_of(file_of("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", 4),
                       ScalarType::BF16),
            "no failure");
  EXPECT_EQ(failure_of(file_of("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", 4),
                       ScalarType::BF16),
            "no failure");
}

TEST(Npy, DamagedFilesAreRefused) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_NE(failure_of("").find("no .npy"), std::string::npos);
  EXPECT_NE(failure_of("PK\3\4 a zip file").find("no .npy"), std::string::npos);
  EXPECT_NE(failure_of(file_of(good, 7)).find("more elements"), std::string::npos);
  EXPECT_NE(failure_of(file_of(good, 9)).find("9 bytes follow"), std::string::npos);
  EXPECT_NE(failure_of(file_of(good, 8, 4)).find("version 4"), std::string::npos);
  EXPECT_NE(failure_of(file_of(good, 8), ScalarType::F64).find("it holds '<f4', f64"),
            std::string::npos);
  for (const char* header :
       {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, "
        "4611686018427387904), }",
        "{'descr': '<f999999999999', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': 'O', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': [('x', '<f4', (1000000, 1000000, 1000000))], 'fortran_order': False, 'shape': "
        "(2,), }",
        "{'descr': [[[[[[[[[[[[[[[[[[[[[[[['x'",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } trailing"}) {
    EXPECT_NE(failure_of(file_of(header, 8)), "no failure") << header;
  }
}

TEST(Npy, EveryTruncationIsRefused) {
  Array array = Array::zeros(scalar_record(ScalarType::I16), {4, 2});
  const std::string file = format_npy(array);
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(parse_npy(std::string_view(file).substr(0, length), array.element).ok()) << length;
  }
}

TEST(Npy, NoByteOfTheHeaderIsTrusted) {
  const Array array = Array::zeros(scalar_record(ScalarType::I16), {4, 2});
  const std::string file = format_npy(array);
  for (std::size_t at = 0; at < file.size() - array.bytes.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto back = parse_npy(damaged, array.element);
      if (back.ok()) {
        EXPECT_EQ(back->bytes.size(), array.bytes.size());
      }
    }
  }
}

}  // namespace
}  // namespace cdsl
