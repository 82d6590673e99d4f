#include "codegen/contract.h"

#include <fmt/format.h>

#include "codegen/contract_parts.h"
#include "codegen/cuda.h"
#include "dsl/tensor/bind.h"

namespace cdsl {
namespace cuda {
namespace {

void write_sizes(const tir::Function& function, JsonWriter& json) {
  json.list("sizes", [&] {
    for (const tir::Size& size : function.sizes) {
      json.object([&] {
        json.field("name", function.arena.symbol(size.symbol).name);
        if (size.known) json.field("must_be", *size.known);
        if (size.is_parameter) {
          json.field("from", "caller");
          return;
        }
        // extent == scale * size + offset
        json.field("from", function.tensor(size.tensor).name);
        json.field("axis", size.axis);
        json.field("scale", size.scale);
        json.field("offset", size.offset);
        const auto axes = tir::determining_axes(function, size);
        if (axes.size() < 2) return;
        json.list("unless_one", [&] {  // then from the first of these that is not 1, else it is 1
          for (std::size_t k = 1; k < axes.size(); ++k) {
            json.object([&] {
              json.field("from", function.tensor(axes[k].first).name);
              json.field("axis", axes[k].second);
            });
          }
        });
      });
    }
  });
}

std::string_view kind_of(tir::Fact::Kind kind) {
  switch (kind) {
    case tir::Fact::Kind::Condition: return "condition";
    case tir::Fact::Kind::Aligned: return "aligned";
    case tir::Fact::Kind::NoAlias: return "noalias";
  }
  return "";
}

void write_checks(const tir::Function& function, JsonWriter& json) {
  json.list("facts", [&] {
    for (const tir::Fact& fact : function.facts) {
      json.object([&] {
        json.field("kind", kind_of(fact.kind));
        json.field("required", fact.required);
        if (fact.kind == tir::Fact::Kind::Condition)
          json.field("condition", expression_text(function.arena, fact.condition));
        if (fact.kind == tir::Fact::Kind::Aligned) {
          json.field("tensor", function.tensor(fact.tensor).name);
          json.field("bytes", fact.bytes);
        }
        if (fact.kind == tir::Fact::Kind::NoAlias) {
          json.list("tensors", [&] {
            for (const TensorId tensor : fact.tensors) json.text(function.tensor(tensor).name);
          });
        }
      });
    }
  });
  json.list("checks", [&] {
    for (const tir::Check& check : function.checks) {
      json.object([&] {
        json.field("condition", expression_text(function.arena, check.condition));
        json.field("message", check.message);
        json.list("operands", [&] {
          for (const ExprId operand : check.operands)
            json.text(expression_text(function.arena, operand));
        });
      });
    }
  });
}

void write_kernels(const loop::Program& program, JsonWriter& json) {
  const std::vector<std::string> names = kernel_names(program);
  json.list("kernels", [&] {
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
      const loop::Kernel& kernel = program.kernels[k];
      json.object([&] {
        json.field("name", names[k]);
        json.list("block", [&] {
          for (const int extent : kernel.block) json.integer(extent);
        });
        json.list("cluster", [&] {
          for (const int extent : kernel.cluster) json.integer(extent);
        });
        json.list("parameters", [&] {
          for (const BufferId id : kernel.buffers) {
            const loop::Buffer& buffer = program.buffer(id);
            if (buffer.space != loop::Space::Global) continue;
            json.object([&] {
              json.field("name", buffer.name);
              json.field("pointer_to", element_name(buffer.element));
              json.field("read_only", buffer.read_only);
            });
          }
          for (const SymbolId symbol : kernel.scalars) {
            json.object([&] {
              json.field("name", program.arena.symbol(symbol).name);
              json.field("type", name_of(program.arena.symbol(symbol).type));
            });
          }
        });
        json.field("reports", takes_reports(kernel));
      });
    }
  });
}

void write_sites(const loop::Program& program, JsonWriter& json) {
  json.list("report_sites", [&] {
    for (const loop::ReportSite& site : program.sites) {
      json.object([&] {
        json.field("kernel", site.kernel);
        json.field("what", site.what);
      });
    }
  });
}

}  // namespace
}  // namespace cuda

std::string contract_json(const tir::Function& function, const loop::Program& program) {
  cuda::JsonWriter json;
  json.object([&] {
    json.field("contract", kContractVersion);
    json.field("function", function.name);
    cuda::write_parameters(function, program.plan, json);
    cuda::write_sizes(function, json);
    cuda::write_checks(function, json);
    cuda::write_kernels(program, json);
    cuda::write_sites(program, json);
    cuda::write_plan(function, program, json);
  });
  return json.take();
}

}  // namespace cdsl
