#include "dsl/loop/verify_plan.h"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

namespace cdsl::loop {
namespace {

class PlanVerifier {
 public:
  PlanVerifier(const Program& program, std::vector<std::string>& errors)
      : program_(program), plan_(program.plan), errors_(errors) {}

  void run() {
    for (const plan::Buffer& buffer : plan_.buffers) {
      if (!is_i64(buffer.bytes)) fail(fmt::format("buffer {}: its size is no i64", buffer.name));
    }
    check_variants();
  }

 private:
  void fail(const std::string& what) { errors_.push_back("plan: " + what); }
  bool is_i64(ExprId id) const {
    return id.valid() && id.index() < plan_.arena.size() && plan_.arena.type(id) == ScalarType::I64;
  }
  bool has(plan::BufferRef ref) const { return ref.buffer < plan_.buffers.size(); }

  void check_variants() {
    if (plan_.variants.empty() || plan_.variants.size() > plan::kMaxVariants)
      return fail(fmt::format("{} variants, where 1 to {} are possible", plan_.variants.size(),
                              plan::kMaxVariants));
    if (!plan_.general().guards.empty()) fail("the last variant has guards");
    std::set<std::string> names;
    for (const plan::Variant& variant : plan_.variants) {
      if (!names.insert(variant.name).second)
        fail(fmt::format("a second variant is named {}", variant.name));
      for (const plan::Guard& guard : variant.guards)
        std::visit([&](const auto& g) { check(variant, g); }, guard);
      check(variant.steps);
    }
  }

  void check(const plan::Variant& variant, const plan::Holds& guard) {
    const ExprId id = guard.condition;
    const bool is_bool =
        id.valid() && id.index() < plan_.arena.size() && plan_.arena.type(id) == ScalarType::Bool;
    if (!is_bool) fail(fmt::format("variant {}: a guard that is no bool", variant.name));
  }

  void check(const plan::Variant& variant, const plan::Aligned& guard) {
    check_parameter(variant, guard.buffer);
    if (guard.bytes <= 0 || !std::has_single_bit(static_cast<uint64_t>(guard.bytes)))
      fail(fmt::format("variant {}: an alignment of {}, which is no power of two", variant.name,
                       guard.bytes));
  }

  void check(const plan::Variant& variant, const plan::NoAlias& guard) {
    for (plan::BufferRef ref : guard.buffers) check_parameter(variant, ref);
  }

  void check_parameter(const plan::Variant& variant, plan::BufferRef ref) {
    if (!has(ref) || plan_.buffers[ref.buffer].kind != plan::Buffer::Kind::Parameter)
      fail(fmt::format("variant {}: a guard of memory that is no parameter", variant.name));
  }

  void check(const std::vector<plan::Step>& steps) {
    for (const plan::Step& step : steps) {
      std::visit([&](const auto& node) { check(node); }, step.what);
    }
  }

  void check(const plan::Launch& launch) {
    if (launch.kernel >= program_.kernels.size())
      return fail("a launch of a kernel that does not exist");
    const Kernel& kernel = program_.kernels[launch.kernel];
    const int ways = launch.grid.items.valid() + launch.grid.blocks.valid() + launch.grid.tiles.valid();
    if (ways != 1)
      fail(fmt::format("launch of {}: either items, blocks or tiles give the grid", kernel.name));
    std::vector<BufferId> buffers;
    for (BufferId id : kernel.buffers) {
      if (id.index() < program_.buffers.size() && program_.buffer(id).space == Space::Global)
        buffers.push_back(id);
    }
    if (launch.arguments.size() != buffers.size() + kernel.scalars.size()) {
      return fail(fmt::format("launch of {}: {} arguments for {} parameters", kernel.name,
                              launch.arguments.size(), buffers.size() + kernel.scalars.size()));
    }
    const auto shows = [&](uint32_t map, plan::BufferRef ref) {
      return map < program_.maps.size() && program_.maps[map].buffer == ref.buffer;
    };
    if (!std::equal(kernel.maps.begin(), kernel.maps.end(), launch.mapped.begin(), launch.mapped.end(), shows))
      fail(fmt::format("launch of {}: its tensor maps show other buffers", kernel.name));
    for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
      const auto& value = launch.arguments[k].value;
      if (k < buffers.size()) {
        const auto* ref = std::get_if<plan::BufferRef>(&value);
        if (ref == nullptr || !has(*ref))
          fail(fmt::format("launch of {}: argument {} is no buffer", kernel.name, k));
      } else {
        check_scalar(kernel, kernel.scalars[k - buffers.size()], value);
      }
    }
  }

  void check_scalar(const Kernel& kernel, SymbolId parameter,
                    const std::variant<plan::BufferRef, ExprId>& value) {
    const SymbolInfo& info = program_.arena.symbol(parameter);
    const auto* id = std::get_if<ExprId>(&value);
    if (id == nullptr || !id->valid() || id->index() >= plan_.arena.size()) {
      return fail(fmt::format("launch of {}: {} has no value", kernel.name, info.name));
    }
    if (plan_.arena.type(*id) != info.type) {
      fail(fmt::format("launch of {}: {} of type {} gets a value of type {}", kernel.name,
                       info.name, cdsl::name_of(info.type), cdsl::name_of(plan_.arena.type(*id))));
    }
  }

  void check(const plan::Fill& fill) {
    if (!has(fill.buffer)) fail("a fill of a buffer that does not exist");
    if (fill.pattern.empty()) fail("a fill with nothing");
  }

  void check(const plan::Copy& copy) {
    if (!has(copy.to) || !has(copy.from)) fail("a copy of a buffer that does not exist");
    if (!is_i64(copy.bytes)) fail("a copy whose size is no i64");
  }

  void check(const plan::Loop& loop) {
    if (!is_i64(loop.lo) || !is_i64(loop.hi)) fail("a loop whose bounds are no i64");
    if (loop.stop >= 0 && static_cast<std::size_t>(loop.stop) >= plan_.buffers.size())
      fail("a loop's flag does not exist");
    check(loop.steps);
  }

  const Program& program_;
  const plan::Plan& plan_;
  std::vector<std::string>& errors_;
};

}  // namespace

void verify_plan(const Program& program, std::vector<std::string>& errors) {
  PlanVerifier(program, errors).run();
}

}  // namespace cdsl::loop
