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
    for (const TensorMap& map : program_.maps) line(map_text(map), 1);
    if (plan_.variants.size() == 1 && plan_.general().name == plan::Variant().name) {
      print(plan_.general().steps, 1);
    } else {
      for (const plan::Variant& variant : plan_.variants) print(variant);
    }
    return out_ + "}\n";
  }

  std::string print_steps(const std::vector<plan::Step>& steps) {
    print(steps, 0);
    return out_;
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

  std::string map_text(const TensorMap& map) const {
    const auto list = [](const auto& items, auto&& spelled) {
      std::string out;
      for (const auto& item : items) out += (out.empty() ? "" : ", ") + spelled(item);
      return out;
    };
    const auto value = [&](ExprId id) { return text(id); };
    const auto number = [](int extent) { return std::to_string(extent); };
    return fmt::format("map {}: {} of {} extents ({}) strides ({}) box ({}){};", map.name,
                       cdsl::name_of(map.type), plan_.buffers[map.buffer].name,
                       list(map.extents, value), list(map.strides, value), list(map.box, number),
                       map.swizzle != 0 ? fmt::format(" swizzle {}", map.swizzle) : "");
  }

  void print(const plan::Variant& variant) {
    std::string guards;
    for (const plan::Guard& guard : variant.guards) {
      guards += guards.empty() ? " when " : ", ";
      guards += std::visit([this](const auto& node) { return guard_text(node); }, guard);
    }
    line(fmt::format("variant {}{} {{", variant.name, guards), 1);
    print(variant.steps, 2);
    line("}", 1);
  }

  std::string guard_text(const plan::Holds& guard) const { return text(guard.condition); }
  std::string guard_text(const plan::Aligned& guard) const {
    return fmt::format("aligned({}, {})", name(guard.buffer), guard.bytes);
  }
  std::string guard_text(const plan::NoAlias& guard) const {
    std::string names;
    for (plan::BufferRef ref : guard.buffers) names += (names.empty() ? "" : ", ") + name(ref);
    return fmt::format("noalias({})", names);
  }

  void print(const std::vector<plan::Step>& steps, int depth) {
    for (const plan::Step& step : steps) {
      std::visit([&](const auto& node) { print(node, depth); }, step.what);
    }
  }

  void print(const plan::Launch& launch, int depth) {
    const std::string resident = launch.grid.resident ? " resident" : "";
    const std::string grid =
        (launch.grid.items.valid()   ? fmt::format("items({})", text(launch.grid.items))
         : launch.grid.tiles.valid() ? fmt::format("tiles({})", text(launch.grid.tiles))
                                     : fmt::format("blocks({})", text(launch.grid.blocks))) +
        resident;
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

std::string steps_text(const Program& program, const std::vector<plan::Step>& steps) {
  return PlanPrinter(program.plan, program).print_steps(steps);
}

}  // namespace cdsl::loop
