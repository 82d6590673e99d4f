#include "api/npy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "api/npy_header.h"

namespace cdsl {
namespace {

/// NumPy's kind and bytes of a type as files hold it.
std::pair<char, int> npy_kind(ScalarType type) {
  const int bytes = size_of(type);
  if (type == ScalarType::Bool) return {'b', 1};
  if (type == ScalarType::BF16 || type == ScalarType::F8E4M3 || type == ScalarType::F8E5M2)
    return {'u', bytes};
  if (is_complex(type)) return {'c', bytes};
  if (is_float(type)) return {'f', bytes};
  return {is_signed_integer(type) ? 'i' : 'u', bytes};
}

std::string spelled(ScalarType type) {
  const auto [kind, bytes] = npy_kind(type);
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

std::string spelled(const NpyLeaf& leaf) {
  return fmt::format("{}{}{}",
                     leaf.bytes == 1 ? ""
                     : leaf.swapped  ? ">"
                                     : "<",
                     leaf.kind, leaf.bytes);
}

std::string in_words(ScalarType type) {
  const auto [kind, bytes] = npy_kind(type);
  const bool has_bits = kind == 'u' && is_float(type);
  return fmt::format("{}{} ({})", name_of(type), has_bits ? " as bit patterns" : "", spelled(type));
}

/// Libraries that bring bf16 and f8 to NumPy store them as opaque bytes: '<V2', '|V1'.
bool matches(const NpyLeaf& leaf, ScalarType type) {
  const auto [kind, bytes] = npy_kind(type);
  if (leaf.bytes != bytes) return false;
  return leaf.kind == kind ||
         (leaf.kind == 'V' && is_storage_only(type) && type != ScalarType::F16);
}

/// For each leaf of `wanted` the leaf of the file, or a failure.
Result<std::vector<const NpyLeaf*>> match_leaves(const NpyHeader& header,
                                                 const RecordType& wanted) {
  std::vector<const NpyLeaf*> found;
  for (const Leaf& leaf : wanted.leaves) {
    const auto in_file =
        std::find_if(header.leaves.begin(), header.leaves.end(),
                     [&](const NpyLeaf& candidate) { return candidate.path == leaf.path; });
    if (in_file == header.leaves.end()) {
      if (leaf.path.empty())
        return Failure{fmt::format("it holds structures, {} is needed", in_words(leaf.type))};
      return Failure{header.leaves.size() == 1 && header.leaves[0].path.empty()
                         ? fmt::format("it holds plain '{}', structures of type {} are needed",
                                       spelled(header.leaves[0]), wanted.name)
                         : fmt::format("it has no field '{}'", leaf.path)};
    }
    const std::string where = leaf.path.empty() ? "" : fmt::format("field '{}': ", leaf.path);
    if (!matches(*in_file, leaf.type)) {
      return Failure{fmt::format("{}it holds '{}', {} is needed", where, spelled(*in_file),
                                 in_words(leaf.type))};
    }
    if (in_file->extents != leaf.extents)
      return Failure{where + "the extents of the array field differ"};
    found.push_back(&*in_file);
  }
  if (header.leaves.size() != wanted.leaves.size()) {
    return Failure{fmt::format("it has {} fields, {} has {}", header.leaves.size(), wanted.name,
                               wanted.leaves.size())};
  }
  return found;
}

/// Elements of the shape; -1 where they are too many to count.
int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent != 0 && count > std::numeric_limits<int64_t>::max() / extent) return -1;
    count *= extent;
  }
  return count;
}

void copy_swapped(std::byte* to, const char* from, int64_t bytes) {
  for (int64_t k = 0; k < bytes; ++k) to[k] = static_cast<std::byte>(from[bytes - 1 - k]);
}

/// One leaf of one element; components of a swapped complex number are swapped each by itself.
void copy_leaf(std::byte* to, const char* from, const NpyLeaf& leaf, int64_t count) {
  const int64_t total = leaf.bytes * count;
  if (!leaf.swapped) {
    std::memcpy(to, from, static_cast<std::size_t>(total));
    return;
  }
  const int64_t unit = leaf.kind == 'c' ? leaf.bytes / 2 : leaf.bytes;
  for (int64_t at = 0; at < total; at += unit) copy_swapped(to + at, from + at, unit);
}

/// Row-major numbers of elements that a file holds with the first axis fastest, in the order of the
/// file. An empty array has none, and extents that multiply to more than any number.
class ColumnOrder {
 public:
  explicit ColumnOrder(const std::vector<int64_t>& shape)
      : shape_(shape), at_(shape.size(), 0), strides_(shape.size(), 1) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
    for (std::size_t axis = shape.size(); axis-- > 1;)
      strides_[axis - 1] = strides_[axis] * shape[axis];
  }
  int64_t next() {
    const int64_t here = flat_;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      flat_ += strides_[axis];
      if (++at_[axis] < shape_[axis]) break;
      flat_ -= strides_[axis] * shape_[axis];
      at_[axis] = 0;
    }
    return here;
  }

 private:
  const std::vector<int64_t>& shape_;
  std::vector<int64_t> at_, strides_;
  int64_t flat_ = 0;
};

/// The type of the leaves [first, last), whose paths go on after `skip` characters; nested
/// structures where they hold dots.
std::string record_descr(const RecordType& record, std::size_t first, std::size_t last,
                         std::size_t skip, int64_t start, int64_t size) {
  std::string text = "[";
  int64_t end = start;
  const auto pad = [&](int64_t until) {
    if (until > end) text += fmt::format("('', '|V{}'), ", until - end);
    end = until;
  };
  for (std::size_t k = first; k < last;) {
    const Leaf& leaf = record.leaves[k];
    const std::string rest = leaf.path.substr(skip);
    const std::size_t dot = rest.find('.');
    pad(leaf.offset);
    if (dot == std::string::npos) {
      text += fmt::format("('{}', '{}'", rest, spelled(leaf.type));
      if (!leaf.extents.empty()) {
        text += ", (";
        for (int64_t extent : leaf.extents) text += fmt::format("{}, ", extent);
        text += ")";
      }
      text += "), ";
      end += leaf.count() * size_of(leaf.type);
      ++k;
      continue;
    }
    const std::string prefix = leaf.path.substr(0, skip + dot + 1);
    std::size_t stop = k;
    int64_t inner_end = leaf.offset, alignment = 1;
    for (; stop < last && record.leaves[stop].path.starts_with(prefix); ++stop) {
      const Leaf& inner = record.leaves[stop];
      inner_end = inner.offset + inner.count() * size_of(inner.type);
      alignment = std::max<int64_t>(alignment, size_of(inner.type));
    }
    const int64_t inner_size = (inner_end - leaf.offset + alignment - 1) / alignment * alignment;
    text += fmt::format("('{}', {}), ", rest.substr(0, dot),
                        record_descr(record, k, stop, prefix.size(), leaf.offset, inner_size));
    end = leaf.offset + inner_size;
    k = stop;
  }
  pad(start + size);
  return text + "]";
}

std::string descr(const RecordType& record) {
  if (record.is_scalar()) return fmt::format("'{}'", spelled(record.leaves[0].type));
  return record_descr(record, 0, record.leaves.size(), 0, 0, record.size);
}

}  // namespace

Result<Array> parse_npy(std::string_view contents, const RecordType& wanted) {
  const Result<NpyHeader> parsed = parse_npy_header(contents);
  if (!parsed) return Failure{parsed.message()};
  const NpyHeader& header = *parsed;
  const auto leaves = match_leaves(header, wanted);
  if (!leaves) return Failure{leaves.message()};

  const int64_t count = count_of(header.shape);
  const std::size_t bytes = contents.size() - header.data_offset;
  // Extents of an empty array may be anything else; those of others are bounded by the file's
  // length.
  if (count < 0 ||
      (header.element_bytes > 0 &&
       static_cast<uint64_t>(count) > bytes / static_cast<uint64_t>(header.element_bytes))) {
    return Failure{
        fmt::format("its header claims more elements than the {} bytes behind it hold", bytes)};
  }
  if (static_cast<std::size_t>(count * header.element_bytes) != bytes) {
    return Failure{fmt::format("{} bytes follow its header, {} are needed", bytes,
                               count * header.element_bytes)};
  }

  Array array = Array::zeros(wanted, header.shape);
  const char* data = contents.data() + header.data_offset;
  ColumnOrder column_order(header.shape);
  for (int64_t k = 0; k < count; ++k) {
    std::byte* element =
        array.bytes.data() + (header.fortran_order ? column_order.next() : k) * wanted.size;
    for (std::size_t leaf = 0; leaf < wanted.leaves.size(); ++leaf) {
      const NpyLeaf& from = *(*leaves)[leaf];
      copy_leaf(element + wanted.leaves[leaf].offset, data + k * header.element_bytes + from.offset,
                from, wanted.leaves[leaf].count());
    }
  }
  return array;
}

std::string format_npy(const Array& array) {
  std::string shape;
  for (int64_t extent : array.shape) shape += fmt::format("{}, ", extent);
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}",
                                   descr(array.element), shape);
  const bool is_long = header.size() + 64 > 65535;
  const std::size_t prefix = is_long ? 12 : 10;
  const std::size_t total =
      (prefix + header.size() + 1 + 63) / 64 * 64;  // data starts at a multiple of 64
  header.append(total - prefix - header.size() - 1, ' ') += '\n';

  std::string out = "\x93NUMPY";
  out += static_cast<char>(is_long ? 2 : 1);
  out += '\0';
  for (std::size_t k = 0; k < prefix - 8; ++k)
    out += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  out += header;
  out.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return out;
}

}  // namespace cdsl
