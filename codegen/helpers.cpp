#include "codegen/helpers.h"

#include <algorithm>
#include <unordered_set>

#include "codegen/types.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {
namespace {

constexpr std::size_t kColumns = 100;

std::string substituted(std::string_view text, ScalarType type, std::string_view qualifiers) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '$') {
      out += text[k];
      continue;
    }
    switch (text[++k]) {
      case 'T': out += cuda_type(type); break;
      case 'U': out += cuda_type(unsigned_of(type)); break;
      case 'C': out += cuda_type(component_type(type)); break;
      case 'W': out += std::to_string(8 * size_of(type)); break;
      case 'f': out += type == ScalarType::F32 || type == ScalarType::C64 ? "f" : ""; break;
      case 'D': out += qualifiers; break;
      default: CDSL_UNREACHABLE("placeholder in the text of a helper");
    }
  }
  return out;
}

// Calls visit(name, type) for each name of a list of needs.
template <class Visit>
void for_each_need(std::string_view needs, ScalarType type, Visit&& visit) {
  while (!needs.empty()) {
    const std::size_t end = std::min(needs.find(' '), needs.size());
    std::string_view need = needs.substr(0, end);
    ScalarType of = type;
    if (const std::size_t colon = need.find(':'); colon != std::string_view::npos) {
      of = *scalar_type_named(need.substr(colon + 1));
      need = need.substr(0, colon);
    }
    visit(need, of);
    needs.remove_prefix(std::min(end + 1, needs.size()));
  }
}

// A function on one line that is too long is spread over three.
std::string folded(std::string text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::size_t body = text.find(") { ", begin);
    if (end - begin > kColumns && body < end && text.compare(end - 2, 2, " }") == 0) {
      text.replace(end - 2, 2, "\n}");
      text.replace(body + 3, 1, "\n  ");
      return text;
    }
    begin = end + 1;
  }
  return text;
}

bool is_struct(std::string_view text) {
  return text.starts_with("struct");
}

}  // namespace

std::span<const std::span<const Helper>> helper_tables() {
  static const std::span<const Helper> tables[] = {storage_helpers(), integer_helpers(),
                                                   float_helpers(),   conversion_helpers(),
                                                   complex_helpers(), memory_helpers(),
                                                   async_helpers()};
  return tables;
}

bool is_helper_name(std::string_view name) {
  static const auto names = [] {
    std::unordered_set<std::string_view> set;
    for (const auto table : helper_tables()) {
      for (const Helper& helper : table) set.insert(helper.name);
    }
    return set;
  }();
  // Those of Prelude::define.
  static constexpr std::string_view kStems[] = {"mma_m", "wgmma_m", "copy_box", "store_box", "matrix_load_x",
                                                "matrix_store_x", "add_bulk"};
  const auto made = [&](std::string_view stem) { return name.starts_with(stem); };
  return names.contains(name) || std::any_of(std::begin(kStems), std::end(kStems), made);
}

std::string Prelude::define(const std::string& stem, std::string_view text) {
  int same_stem = 0;
  for (const auto& [name, known] : defined_) {
    const bool numbered = name == stem || name.starts_with(stem + "_variant");
    if (numbered && known == text) return name;
    same_stem += numbered ? 1 : 0;
  }
  defined_.emplace_back(same_stem == 0 ? stem : stem + "_variant" + std::to_string(same_stem + 1), text);
  return defined_.back().first;
}

std::string Prelude::use(std::string_view name, ScalarType type, bool on_host) {
  add(name, type, on_host);
  return std::string(name);
}

void Prelude::use_type(ScalarType type) {
  if (is_storage_only(type) || is_complex(type)) add(name_of(type), ScalarType::Bool, false);
}

void Prelude::add(std::string_view name, ScalarType type, bool on_host) {
  const auto tables = helper_tables();
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (std::size_t row = 0; row < tables[table].size(); ++row) {
      const Helper& helper = tables[table][row];
      const bool once = helper.types == kOnce;
      if (helper.name != name || !(once || (helper.types >> static_cast<int>(type) & 1) != 0))
        continue;
      const Key key{table, row, once ? ScalarType::Bool : type};
      std::set<Key>& users = is_struct(helper.text) ? types_ : on_host ? by_host_ : by_kernels_;
      if (!users.insert(key).second) return;
      if (!once) use_type(type);
      for_each_need(helper.needs, type,
                    [&](std::string_view need, ScalarType of) { add(need, of, on_host); });
      return;
    }
  }
  CDSL_UNREACHABLE("no helper " + std::string(name) + " for " + std::string(name_of(type)));
}

std::string Prelude::print(const Key& key) const {
  const Helper& helper = helper_tables()[key.table][key.row];
  const std::string_view device = strict_ && !helper.strict.empty() ? helper.strict : helper.text;
  const std::string_view host = helper.host.empty() ? device : helper.host;
  const auto text = [&](std::string_view which, std::string_view qualifiers) {
    return folded(substituted(which, key.type, qualifiers));
  };
  if (!by_host_.contains(key)) return text(device, "__device__ __forceinline__");
  if (!by_kernels_.contains(key)) return text(host, "inline");
  const std::string_view both = "__host__ __device__ __forceinline__";
  if (helper.host.empty()) return text(device, both);
  return "#ifdef __CUDA_ARCH__\n" + text(device, both) + "#else\n" + text(host, both) + "#endif\n";
}

std::string Prelude::print_for_host(const Key& key) const {
  const Helper& helper = helper_tables()[key.table][key.row];
  const std::string_view device = strict_ && !helper.strict.empty() ? helper.strict : helper.text;
  return folded(substituted(helper.host.empty() ? device : helper.host, key.type, "inline"));
}

std::string Prelude::type_definitions() const {
  std::string out;
  for (const Key& key : types_) out += (out.empty() ? "" : "\n") + print(key);
  return out;
}

std::string Prelude::functions() const {
  std::string out;
  for (const Key& key : by_kernels_) out += print(key) + "\n";
  for (const auto& [name, text] : defined_) {
    std::string body = text;
    for (std::size_t at = 0; (at = body.find('$', at)) != std::string::npos;)
      body.replace(at, 2, body[at + 1] == 'N' ? name : "__device__ __forceinline__");
    out += body + "\n";
  }
  return out;
}

std::string Prelude::host_functions() const {
  std::string out;
  for (const Key& key : by_host_) {
    if (!by_kernels_.contains(key)) out += print(key) + "\n";
  }
  return out;
}

std::string Prelude::library_functions() const {
  std::string out;
  for (const Key& key : by_host_) out += print_for_host(key) + "\n";
  return out;
}

}  // namespace cdsl::cuda
