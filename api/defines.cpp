#include "api/defines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "dsl/types/arithmetic.h"

namespace cdsl {
namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

/// A whole integer, decimal or 0x; false where the text is anything else or does not fit.
template <class Integer>
bool read_integer(std::string_view text, Integer& value) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  if (text.empty() || text[0] == '-') return false;
  const std::string digits = (negative ? "-" : "") + std::string(text);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() && end == digits.data() + digits.size();
}

bool read_real(std::string_view text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // What is out of range becomes 0 or infinity, as the language's literals would.
  if (error == std::errc::result_out_of_range)
    value = text.find("e-") != std::string_view::npos ? 0.0 : INFINITY;
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// "1+2j", "2j", "1"
bool read_complex(std::string_view text, double& re, double& im) {
  re = im = 0;
  if (!text.ends_with('j') && !text.ends_with('i')) return read_real(text, re);
  text.remove_suffix(1);
  std::size_t split = text.size();
  for (std::size_t at = text.size(); at-- > 1;) {
    if ((text[at] == '+' || text[at] == '-') && text[at - 1] != 'e' && text[at - 1] != 'E') {
      split = at;
      break;
    }
  }
  if (split == text.size()) return read_real(text, im);
  return read_real(text.substr(0, split), re) && read_real(text.substr(split), im);
}

Failure no_value(std::string_view text, ScalarType type) {
  return {fmt::format("'{}' is no value of type {}", text, name_of(type))};
}

/// Names in an expression of an extent.
void add_names(const ast::Program& program, ast::ExprId root, std::set<std::string>& names) {
  ast::post_order(program.exprs, root, [&](ast::ExprId id) {
    if (const auto* name = program.exprs.get_if<ast::NameRef>(id)) names.insert(name->name);
  });
}

bool is_of_kind(ScalarType type, ast::GenericKind kind) {
  switch (kind) {
    case ast::GenericKind::Size: return false;
    case ast::GenericKind::Float: return is_float(type);
    case ast::GenericKind::Int: return is_integer(type);
    case ast::GenericKind::Number: return is_float(type) || is_integer(type) || is_complex(type);
  }
  return false;
}

}  // namespace

bool read_size(std::string_view text, int64_t& value) {
  constexpr std::string_view kUnits = "kMG";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return read_integer(text, value);
  int64_t count = 0;
  return read_integer(text.substr(0, text.size() - 1), count) && !__builtin_mul_overflow(count, int64_t{1} << (10 * (unit + 1)), &value);
}

std::optional<Failure> add_define(Defines& defines, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  if (equals == std::string_view::npos || !is_name(name)) {
    return Failure{
        fmt::format("-D takes NAME=VALUE, for instance -DN=1000; '{}' is not of that form", text)};
  }
  const std::string_view value = text.substr(equals + 1);
  if (defines.sizes.contains(name) || defines.types.contains(name) ||
      defines.values.contains(name)) {
    return Failure{fmt::format("-D{} is given twice", name)};
  }
  if (int64_t size = 0; read_size(value, size)) {
    defines.sizes[name] = size;
  } else if (const auto type = scalar_type_named(value)) {
    defines.types[name] = *type;
  } else if (double re = 0, im = 0;
             read_complex(value, re, im) || value == "true" || value == "false") {
    defines.values[name] = value;
  } else {
    return Failure{
        fmt::format("-D{}={}: the value is no integer, no type and no number", name, value)};
  }
  return std::nullopt;
}

void check_defines(const Defines& defines, const ast::Program& program, DiagnosticSink& sink) {
  std::set<std::string> values, scalars;
  std::map<std::string, std::vector<ast::GenericKind>> generics;
  for (const ast::Item& item : program.items) {
    const auto* fn = std::get_if<ast::FnDecl>(&item.node);
    if (fn == nullptr) continue;
    for (const ast::GenericParam& generic : fn->generics) {
      if (generic.kind == ast::GenericKind::Size)
        values.insert(generic.name.text);
      else
        generics[generic.name.text].push_back(generic.kind);
    }
    for (const auto* list : {&fn->params, &fn->outputs}) {
      for (const ast::Param& param : *list) {
        if (!param.type.has_shape && list == &fn->params) {
          values.insert(param.name.text);
          scalars.insert(param.name.text);
        }
        for (const ast::Extent& extent : param.type.shape) add_names(program, extent.value, values);
      }
    }
  }
  std::vector<std::string_view> known(values.begin(), values.end());
  for (const auto& [name, kinds] : generics) known.push_back(name);

  const auto unknown = [&](const std::string& name) {
    sink.report(Code::UnknownDefine, {},
                fmt::format("-D{}: no fn has a size, generic or scalar parameter of this name{}",
                            name, did_you_mean(name, known)));
  };
  for (const auto& [name, size] : defines.sizes) {
    if (generics.contains(name)) {
      sink.report(
          Code::BadDefine, {},
          fmt::format("-D{}={}: {} is a type, for instance -D{}=f32", name, size, name, name));
    } else if (!values.contains(name)) {
      unknown(name);
    }
  }
  for (const auto& [name, text] : defines.values) {
    if (generics.contains(name))
      sink.report(Code::BadDefine, {}, fmt::format("-D{}={}: {} is a type", name, text, name));
    else if (!values.contains(name))
      unknown(name);
    else if (!scalars.contains(name))
      sink.report(Code::BadDefine, {},
                  fmt::format("-D{}={}: {} is a size, an integer from 0 to 2^63 - 1", name, text,
                              name));
  }
  for (const auto& [name, type] : defines.types) {
    const auto generic = generics.find(name);
    if (generic == generics.end()) {
      if (values.contains(name))
        sink.report(Code::BadDefine, {},
                    fmt::format("-D{}={}: {} is no type", name, name_of(type), name));
      else
        unknown(name);
    } else if (std::none_of(generic->second.begin(), generic->second.end(),
                            [&](ast::GenericKind kind) { return is_of_kind(type, kind); })) {
      sink.report(Code::BadDefine, {},
                  fmt::format("-D{}={}: {} takes types of kind '{}'", name, name_of(type), name,
                              ast::spelling(generic->second.front())));
    }
  }
}

Result<Value> parse_scalar(std::string_view text, ScalarType type) {
  if (type == ScalarType::Bool) {
    if (text == "true" || text == "True" || text == "1") return Value::of_bool(true);
    if (text == "false" || text == "False" || text == "0") return Value::of_bool(false);
    return no_value(text, type);
  }
  if (is_integer(type)) {
    if (uint64_t bits = 0; type == ScalarType::U64 && read_integer(text, bits))
      return Value::of_int(static_cast<int64_t>(bits));
    int64_t value = 0;
    if (!read_integer(text, value)) return no_value(text, type);
    if (round_to(Value::of_int(value), type).i != value || (type == ScalarType::U64 && value < 0))
      return no_value(text, type);
    return Value::of_int(value);
  }
  double re = 0, im = 0;
  if (is_complex(type) ? !read_complex(text, re, im) : !read_real(text, re)) {
    int64_t value = 0;
    if (is_complex(type) || !read_integer(text, value)) return no_value(text, type);
    re = static_cast<double>(value);
  }
  return is_complex(type) ? round_to(Value::of_complex(re, im), type)
                          : round_to(Value::of_float(re), type);
}

}  // namespace cdsl
