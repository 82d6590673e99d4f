#include "dsl/loop/print_plan.h"

#include <fmt/format.h>

namespace cdsl::loop {
namespace {

std::string hex(const std::vector<std::byte>& bytes) {
  std::string out;
  for (std::byte b : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(b));
  return out;
}

class PlanPrinter {
 public:
  PlanPrinter(const plan::Plan& plan, const Program& program)
      : plan_(plan), program_(program), names_(names_in(program)) {}

  std::string print() {
    out_ = "\nplan {\n";
    for (const plan::Buffer& buffer : plan_.buffers) line(buffer_text(buffer), 1);
    for (const plan::ViewSymbol& view : plan_.views) {
      const char* kind = view.kind == plan::ViewSymbol::Kind::Extent ? "extent" : "stride";
      line(fmt::format("view {} = {} of tensor {} axis {};", plan_.arena.symbol(view.symbol).name,
                       kind, view.tensor.value, view.axis),
           1);
    }
    print(plan_.steps, 1);
    return out_ + "}\n";
  }

 private:
  void line(const std::string& text, int depth) {
    out_.append(static_cast<std::size_t>(2 * depth), ' ').append(text).push_back('\n');
  }

  std::string text(ExprId id) const { return cdsl::to_string(plan_.arena, id, names_); }
  const std::string& name(plan::BufferRef ref) const { return plan_.buffers[ref.buffer].name; }

  std::string buffer_text(const plan::Buffer& buffer) const {
    switch (buffer.kind) {
      case plan::Buffer::Kind::Parameter:
        return fmt::format("parameter {}: tensor {} part {} bytes {};", buffer.name,
                           buffer.tensor.value, buffer.part, text(buffer.bytes));
      case plan::Buffer::Kind::Workspace:
        return fmt::format("workspace {}: bytes {};", buffer.name, text(buffer.bytes));
      case plan::Buffer::Kind::Constant: break;
    }
    return fmt::format("constant {}: bytes {} = {};", buffer.name, text(buffer.bytes),
                       quoted(hex(buffer.contents)));
  }

  void print(const std::vector<plan::Step>& steps, int depth) {
    for (const plan::Step& step : steps) {
      std::visit([&](const auto& node) { print(node, depth); }, step.what);
    }
  }

  void print(const plan::Launch& launch, int depth) {
    const std::string grid = launch.grid.items.valid()
                                 ? fmt::format("items({})", text(launch.grid.items))
                                 : fmt::format("blocks({})", text(launch.grid.blocks));
    std::string arguments;
    for (const plan::Argument& argument : launch.arguments) {
      const auto* ref = std::get_if<plan::BufferRef>(&argument.value);
      arguments += arguments.empty() ? "" : ", ";
      arguments += ref != nullptr ? "buffer " + name(*ref) : text(std::get<ExprId>(argument.value));
    }
    line(fmt::format("launch {} {} ({});", program_.kernels[launch.kernel].name, grid, arguments),
         depth);
  }

  void print(const plan::Fill& fill, int depth) {
    line(fmt::format("fill {} {};", name(fill.buffer), quoted(hex(fill.pattern))), depth);
  }

  void print(const plan::Copy& copy, int depth) {
    line(fmt::format("copy {} from {} bytes {};", name(copy.to), name(copy.from), text(copy.bytes)),
         depth);
  }

  void print(const plan::Loop& loop, int depth) {
    std::string header = fmt::format("loop {} = {} to {}", plan_.arena.symbol(loop.index).name,
                                     text(loop.lo), text(loop.hi));
    if (loop.descending) header += " descending";
    if (loop.stop >= 0)
      header += " stop " + plan_.buffers[static_cast<std::size_t>(loop.stop)].name;
    line(header + " {", depth);
    print(loop.steps, depth + 1);
    line("}", depth);
  }

  const plan::Plan& plan_;
  const Program& program_;
  ExprNames names_;
  std::string out_;
};

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

ExprNames names_in(const Program& program) {
  ExprNames names;
  names.buffer = [&program](BufferId id) { return program.buffer(id).name; };
  names.buffer_leaf = [&program](BufferId id, uint32_t leaf) {
    return program.buffer(id).element.leaves[leaf].path;
  };
  return names;
}

std::string to_string(const plan::Plan& plan, const Program& program) {
  return PlanPrinter(plan, program).print();
}

}  // namespace cdsl::loop
