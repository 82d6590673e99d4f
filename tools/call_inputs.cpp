#include "tools/call_inputs.h"

#include <fmt/format.h>

#include "api/defines.h"
#include "api/files.h"
#include "api/npy.h"
#include "dsl/support/suggest.h"

namespace cdsl::tools {
namespace {

bool is_given_by_caller(const tir::Tensor& tensor) {
  return !tensor.is_constant &&
         (tensor.role == tir::Role::Input || tensor.role == tir::Role::InOut);
}

class InputReader {
 public:
  InputReader(const tir::Function& function, const Settings& settings)
      : function_(function), settings_(settings) {}

  Result<Arguments> read(bool lenient) {
    read_defines();
    for (const std::string& input : settings_.inputs) {
      const std::size_t equals = input.find('=');
      const std::string name = input.substr(0, equals), value = input.substr(equals + 1);
      if (const tir::ScalarParameter* scalar = find_scalar(name)) {
        read_scalar(*scalar, name, value, "--in");
      } else if (const TensorId tensor = function_.find_tensor(name);
                 tensor.valid() && is_given_by_caller(function_.tensor(tensor))) {
        read_array(tensor, name, value);
      } else if (!lenient) {
        fail(fmt::format("'{}' has no input '{}'{}", function_.name, name,
                         did_you_mean(name, names())));
      }
    }
    if (!failure_.empty()) return Failure{failure_};
    return std::move(arguments_);
  }

 private:
  void fail(std::string message) {
    if (failure_.empty()) failure_ = std::move(message);
  }

  const tir::ScalarParameter* find_scalar(std::string_view name) const {
    for (const tir::ScalarParameter& scalar : function_.scalars) {
      if (function_.arena.symbol(scalar.symbol).name == name) return &scalar;
    }
    return nullptr;
  }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> list;
    for (const tir::ScalarParameter& scalar : function_.scalars)
      list.push_back(function_.arena.symbol(scalar.symbol).name);
    for (const tir::Tensor& tensor : function_.tensors) {
      if (is_given_by_caller(tensor)) list.push_back(tensor.name);
    }
    return list;
  }

  void read_defines() {
    const Defines& defines = settings_.compile.defines;
    for (const auto& [name, size] : defines.sizes) {
      if (const tir::ScalarParameter* scalar = find_scalar(name))
        read_scalar(*scalar, name, std::to_string(size), "-D");
    }
    for (const auto& [name, text] : defines.values) {
      if (const tir::ScalarParameter* scalar = find_scalar(name))
        read_scalar(*scalar, name, text, "-D");
    }
    for (const tir::Size& size : function_.sizes) {
      const std::string& name = function_.arena.symbol(size.symbol).name;
      const auto found = defines.sizes.find(name);
      if (size.is_parameter && found != defines.sizes.end()) arguments_.sizes[name] = found->second;
    }
  }

  void read_scalar(const tir::ScalarParameter& scalar, const std::string& name,
                   std::string_view text, std::string_view option) {
    const auto value = parse_scalar(text, scalar.declared);
    if (!value) return fail(fmt::format("{} {}={}: {}", option, name, text, value.message()));
    arguments_.scalars[name] = *value;
  }

  void read_array(TensorId tensor, const std::string& name, const std::string& path) {
    const auto contents = read_file(path);
    if (!contents) return fail(fmt::format("--in {}: {}", name, contents.message()));
    auto array = parse_npy(*contents, function_.element(tensor));
    if (!array) return fail(fmt::format("--in {}={}: {}", name, path, array.message()));
    arguments_.arrays[name] = std::move(*array);
  }

  const tir::Function& function_;
  const Settings& settings_;
  Arguments arguments_;
  std::string failure_;
};

}  // namespace

Result<Arguments> call_inputs(const tir::Function& function, const Settings& settings,
                              bool lenient) {
  return InputReader(function, settings).read(lenient);
}

std::vector<std::string> missing_inputs(const tir::Function& function, const Arguments& arguments) {
  std::vector<std::string> missing;
  for (const tir::Parameter& parameter : function.parameters) {
    if (const auto* tensor = std::get_if<TensorId>(&parameter.what)) {
      const tir::Tensor& given = function.tensor(*tensor);
      if (is_given_by_caller(given) && !arguments.arrays.contains(given.name))
        missing.push_back(fmt::format("--in {}=FILE.npy", given.name));
    } else {
      const std::string& name =
          function.arena.symbol(function.scalars[std::get<uint32_t>(parameter.what)].symbol).name;
      if (!arguments.scalars.contains(name)) missing.push_back(fmt::format("--in {}=NUMBER", name));
    }
  }
  for (const tir::Size& size : function.sizes) {
    const std::string& name = function.arena.symbol(size.symbol).name;
    if (size.is_parameter && !size.known && !arguments.sizes.contains(name))
      missing.push_back(fmt::format("-D{}=NUMBER", name));
  }
  return missing;
}

}  // namespace cdsl::tools
