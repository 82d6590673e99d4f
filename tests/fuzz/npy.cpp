// The reader of .npy files. The first byte chooses what is wanted; what is read is written and read again.
#include <vector>

#include "api/npy.h"
#include "fuzz/target.h"

namespace {

cdsl::RecordType record_of(std::vector<cdsl::Leaf> leaves) {
  cdsl::RecordType record;
  record.name = "Record";
  record.leaves = std::move(leaves);
  cdsl::lay_out(record);
  return record;
}

const cdsl::RecordType& wanted(uint8_t choice) {
  using namespace cdsl;
  static const std::vector<RecordType> types = [] {
    std::vector<RecordType> all;
    for (int k = 0; k < kScalarTypeCount; ++k) all.push_back(scalar_record(static_cast<ScalarType>(k)));
    all.push_back(record_of({{"x", ScalarType::F32, {}, 0}, {"y", ScalarType::I64, {}, 0}}));
    all.push_back(record_of({{"tag", ScalarType::U8, {}, 0}, {"pos", ScalarType::F16, {2, 3}, 0}, {"in.z", ScalarType::C64, {}, 0}}));
    return all;
  }();
  return types[choice % types.size()];
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes || size < 1) return -1;
  const RecordType& type = wanted(data[0]);
  const auto array = parse_npy(fuzz::text_of(data + 1, size - 1), type);
  if (!array.ok()) {
    fuzz::must(!array.message().empty());
    return 0;
  }
  fuzz::must(static_cast<int64_t>(array->bytes.size()) == array->count() * type.size);
  const auto again = parse_npy(format_npy(*array), type);
  fuzz::must(again.ok() && again->shape == array->shape && again->bytes == array->bytes);
  return 0;
}
