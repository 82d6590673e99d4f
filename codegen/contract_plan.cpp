// Memory and steps of the plan.
#include <fmt/format.h>

#include "codegen/contract_parts.h"
#include "codegen/cuda.h"
#include "dsl/plan/variants.h"

namespace cdsl::cuda {
namespace {

std::string_view name_of_kind(plan::Buffer::Kind kind) {
  switch (kind) {
    case plan::Buffer::Kind::Parameter: return "parameter";
    case plan::Buffer::Kind::Workspace: return "workspace";
    case plan::Buffer::Kind::Constant: return "constant";
  }
  return "";
}

std::string hex(const std::vector<std::byte>& bytes) {
  std::string out;
  for (const std::byte byte : bytes) out += fmt::format("{:02x}", static_cast<int>(byte));
  return out;
}

class PlanWriter {
 public:
  PlanWriter(const loop::Program& program, JsonWriter& json)
      : plan_(program.plan), kernels_(kernel_names(program)), json_(json) {}

  void variants() {
    json_.list("variants", [&] {
      for (const plan::Variant& variant : plan_.variants) {
        json_.object([&] {
          json_.field("name", variant.name);
          json_.list("guards", [&] {
            for (const plan::Guard& guard : variant.guards)
              json_.object([&] { std::visit([&](const auto& node) { write(node); }, guard); });
          });
          workspace(variant);
          steps(variant.steps);
        });
      }
    });
  }

 private:
  void workspace(const plan::Variant& variant) {
    const std::vector<bool> used = plan::used_buffers(plan_, variant);
    json_.list("workspace", [&] {
      for (std::size_t b = 0; b < used.size(); ++b) {
        if (used[b] && plan_.buffers[b].kind == plan::Buffer::Kind::Workspace)
          json_.text(plan_.buffers[b].name);
      }
    });
  }

  void write(const plan::Holds& guard) { json_.field("condition", text(guard.condition)); }
  void write(const plan::Aligned& guard) {
    json_.field("aligned", name(guard.buffer));
    json_.field("bytes", guard.bytes);
  }
  void write(const plan::NoAlias& guard) {
    json_.list("noalias", [&] {
      for (const plan::BufferRef ref : guard.buffers) json_.text(name(ref));
    });
  }

  void steps(const std::vector<plan::Step>& steps) {
    json_.list("steps", [&] {
      for (const plan::Step& step : steps) {
        json_.object([&] { std::visit([&](const auto& node) { write(node); }, step.what); });
      }
    });
  }

  std::string text(ExprId id) const { return expression_text(plan_.arena, id); }
  const std::string& name(plan::BufferRef ref) const { return plan_.buffers[ref.buffer].name; }

  void write(const plan::Launch& launch) {
    json_.field("launch", kernels_[launch.kernel]);
    if (launch.grid.items.valid()) {
      json_.field("items", text(launch.grid.items));
    } else if (launch.grid.tiles.valid()) {
      json_.field("tiles", text(launch.grid.tiles));
    } else {
      json_.field("blocks", text(launch.grid.blocks));
    }
    if (launch.grid.resident) json_.field("resident", true);
    if (!launch.mapped.empty()) {
      json_.list("tensor_maps_of", [&] {
        for (const plan::BufferRef ref : launch.mapped)
          json_.object([&] { json_.field("buffer", name(ref)); });
      });
    }
    json_.list("arguments", [&] {
      for (const plan::Argument& argument : launch.arguments) {
        const auto* ref = std::get_if<plan::BufferRef>(&argument.value);
        json_.object([&] {
          if (ref != nullptr) {
            json_.field("buffer", name(*ref));
          } else {
            json_.field("value", text(std::get<ExprId>(argument.value)));
          }
        });
      }
    });
  }

  void write(const plan::Fill& fill) {
    json_.field("fill", name(fill.buffer));
    json_.field("pattern", hex(fill.pattern));
  }

  void write(const plan::Copy& copy) {
    json_.field("copy_to", name(copy.to));
    json_.field("from", name(copy.from));
    json_.field("bytes", text(copy.bytes));
  }

  void write(const plan::Loop& loop) {
    json_.field("loop", plan_.arena.symbol(loop.index).name);
    json_.field("lo", text(loop.lo));
    json_.field("hi", text(loop.hi));
    json_.field("descending", loop.descending);
    if (loop.stop >= 0)
      json_.field("stop", plan_.buffers[static_cast<std::size_t>(loop.stop)].name);
    steps(loop.steps);
  }

  const plan::Plan& plan_;
  std::vector<std::string> kernels_;
  JsonWriter& json_;
};

}  // namespace

void write_plan(const tir::Function& function, const loop::Program& program, JsonWriter& json) {
  const plan::Plan& plan = program.plan;
  json.list("buffers", [&] {
    for (const plan::Buffer& buffer : plan.buffers) {
      json.object([&] {
        json.field("name", buffer.name);
        json.field("kind", name_of_kind(buffer.kind));
        if (buffer.tensor.valid()) {
          json.field("tensor", function.tensor(buffer.tensor).name);
          json.field("part", buffer.part);
        }
        json.field("bytes", expression_text(plan.arena, buffer.bytes));
        if (buffer.kind == plan::Buffer::Kind::Constant)
          json.field("contents", hex(buffer.contents));
      });
    }
  });
  PlanWriter(program, json).variants();
}

}  // namespace cdsl::cuda
