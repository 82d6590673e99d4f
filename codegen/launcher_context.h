// What the parts of the launcher share: names, the fields of the struct of arguments, and a printer
// of host expressions.
#pragma once

#include <string>
#include <vector>

#include "codegen/expression.h"
#include "codegen/kernel.h"

namespace cdsl::cuda {

class LauncherContext {
 public:
  explicit LauncherContext(Module& module);
  LauncherContext(const LauncherContext&) = delete;
  LauncherContext& operator=(const LauncherContext&) = delete;

  Module& module;
  const tir::Function& function;
  const plan::Plan& plan;
  Scopes names;         // inside the launch function
  Spellings spellings;  // symbols of the plan on the host: args.N, loop counters
  std::string function_name, struct_name, workspace_name, sites_name;
  std::string reports_name;  // of a library: the records in the machine code
  std::vector<std::string> buffers;        // by plan buffer: its pointer
  std::vector<std::string> display_names;  // by plan buffer: as the user knows it
  std::vector<std::string> pointer_types;  // by plan buffer: element type, spelled
  std::vector<ScalarType> scalar_types;    // by plan buffer: of its (first) leaf
  std::vector<int64_t> alignments;         // by plan buffer
  std::vector<int> ranges;                 // by plan buffer: its number among the checked ranges, or -1

  struct Field {
    std::string type, name, note;
  };
  std::vector<Field> fields;

  std::string expression(ExprId id, Use use = {});
  /// Bytes that `plan buffer` holds.
  std::string bytes(const plan::Buffer& buffer) { return expression(buffer.bytes); }

 private:
  void add_tensor(TensorId tensor, Scopes& members);
  void add_scalar(const tir::ScalarParameter& scalar, Scopes& members);
  void add_sizes(Scopes& members);
  void name_other_buffers();
  void note_types(const plan::Launch& launch);
  std::string shape_text(const tir::Tensor& tensor, const std::string& type);

  IndexFacts facts_;
};

/// The symbol that holds a constant buffer.
std::string constant_name(const LauncherContext& context, std::size_t buffer);

// The parts, in the order of the file.
void print_sites(LauncherContext& context, Writer& out);
void print_arguments(LauncherContext& context, Writer& out);
void print_workspace_query(LauncherContext& context, Writer& out);
void print_constants(LauncherContext& context, Writer& out);
void print_launch_function(LauncherContext& context, Writer& out);
void print_checks(LauncherContext& context, Writer& out);
void print_products(LauncherContext& context, Writer& out);
void print_variants(LauncherContext& context, Writer& out);
/// Workspace, constants and steps of one variant.
void print_variant(LauncherContext& context, const plan::Variant& variant, Writer& out);
/// `no_alias(ranges, {0, 1})`; "true" where there are no two.
std::string no_alias(LauncherContext& context, const std::vector<plan::BufferRef>& buffers);

}  // namespace cdsl::cuda
