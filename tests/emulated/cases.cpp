#include "cases.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "api/defines.h"
#include "api/variant_sizes.h"

namespace cdsl::emulation {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::vector<std::string> words(const std::string& cell) {
  return cell == "-" ? std::vector<std::string>{} : split(cell, ' ');
}

std::pair<std::string, std::string> halves(const std::string& definition) {
  const std::size_t equals = definition.find('=');
  return {definition.substr(0, equals), definition.substr(equals + 1)};
}

/// The sizes that the function has, of those that the file is run at.
Sizes sizes_for(const tir::Function& function, const Sizes& all) {
  Sizes own;
  for (const tir::Size& size : function.sizes) {
    const std::string& name = function.arena.symbol(size.symbol).name;
    const auto found = all.find(name);
    own[name] = found == all.end() ? 33 : found->second;
  }
  return own;
}

Arguments given_to(const tir::Function& function, const std::vector<std::string>& given) {
  Arguments arguments;
  for (const tir::ScalarParameter& scalar : function.scalars) {
    for (const std::string& definition : given) {
      const auto [name, text] = halves(definition);
      if (name != function.arena.symbol(scalar.symbol).name) continue;
      const auto value = parse_scalar(text, scalar.declared);
      if (!value) throw std::runtime_error(definition + ": " + value.message());
      arguments.scalars[name] = *value;
    }
  }
  return arguments;
}

}  // namespace

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be read");
  std::vector<Case> cases;
  std::string line;
  std::getline(in, line);  // the names of the columns
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line, '\t');
    if (cells.size() != 4) throw std::runtime_error(path + ": a row has four cells: " + line);
    const bool named = cells[0].find('.') != std::string::npos;
    Case one{named ? cells[0] : cells[0] + ".cdsl", {}, words(cells[2])};
    if (words(cells[3]).empty()) one.sizes.emplace_back();
    for (const std::string& set : words(cells[3])) {
      Sizes& sizes = one.sizes.emplace_back();
      for (const std::string& definition : split(set, ',')) {
        const auto [name, value] = halves(definition);
        sizes[name] = std::stoll(value);
      }
    }
    const std::vector<std::string> types = words(cells[1]);
    if (types.empty()) cases.push_back(one);
    for (const std::string& type : types) {
      one.type = type;
      cases.push_back(one);
    }
  }
  return cases;
}

std::vector<std::unique_ptr<CaseFunction>> functions_of(const Case& one, Source& source, const CompileOptions& wanted) {
  CompileOptions options = wanted;
  if (one.type) add_define(options.defines, *one.type);
  const auto broken = [&] { return std::runtime_error(fmt::format("{}: {}", one.file, source.diagnostics.diagnostics().at(0).message)); };
  if (source.has_errors()) throw broken();
  std::vector<std::string> skipped;
  std::vector<std::unique_ptr<CaseFunction>> made;
  for (const std::string& name : functions_to_compile(source, "", options, skipped)) {
    auto reference = analyze_function(source, name, options);
    auto compiled = reference ? compile(source, name, options) : std::nullopt;
    if (!compiled) throw broken();
    auto function = std::make_unique<CaseFunction>(CaseFunction{fmt::format("{} {}{}", one.file, name, one.type ? " " + *one.type : ""), &source, options,
                                                                std::move(*reference), std::move(*compiled), {}, {}});
    function->given = given_to(function->reference, one.given);
    for (const Sizes& sizes : one.sizes) function->sizes.push_back(sizes_for(function->reference, sizes));
    for (Sizes& sizes : sizes_for_variants(function->reference, function->compiled.program.plan, {}, function->sizes))
      function->sizes.push_back(std::move(sizes));
    made.push_back(std::move(function));
  }
  return made;
}

}  // namespace cdsl::emulation
