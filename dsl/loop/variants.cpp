#include "dsl/loop/variants.h"

#include <algorithm>
#include <map>
#include <set>

#include "dsl/expr/import.h"
#include "dsl/loop/print_plan.h"
#include "dsl/loop/rename.h"
#include "dsl/loop/walk.h"
#include "dsl/plan/variants.h"
#include "dsl/support/check.h"

namespace cdsl::loop {
namespace {

/// A kernel in words that do not depend on its program: its text with sites numbered from 0, then
/// those sites.
struct Fingerprint {
  std::string text;
  std::vector<uint32_t> sites;  // of the kernel's program, by the number in the text
};

Fingerprint fingerprint(const Program& program, Kernel& kernel) {
  Fingerprint result;
  std::map<uint32_t, uint32_t> numbers;
  Renaming number{[](SymbolId s) { return s; }, [](BufferId b) { return b; },
                  [](ExprId e) { return e; },
                  [&](uint32_t site) {
                    const auto [found, is_new] =
                        numbers.try_emplace(site, static_cast<uint32_t>(numbers.size()));
                    if (is_new) result.sites.push_back(site);
                    return found->second;
                  },
                  [](uint32_t m) { return m; }};
  rename(kernel.body, number);
  result.text = to_string(program, kernel);
  for (uint32_t k : result.sites) {
    const ReportSite& site = program.sites[k];
    result.text += std::string(name_of(site.kind)) + " " + site.what + "\n";
  }
  return result;
}

/// By kernel: the last variant that launches it, the most general one.
std::vector<std::string> users_of_kernels(const Program& program) {
  std::vector<std::string> users(program.kernels.size(), program.plan.general().name);
  for (const plan::Variant& variant : program.plan.variants) {
    plan::for_each_launch(variant.steps, [&](const plan::Launch& launch) {
      users[launch.kernel] = variant.name;
    });
  }
  return users;
}

class Joiner {
 public:
  explicit Joiner(Program& base) {
    result_.name = base.name;
    result_.arena = base.arena;
    result_.specials = base.specials;
    result_.buffers = base.buffers;
    result_.maps = base.maps;
    result_.plan.buffers = base.plan.buffers;
    result_.plan.views = base.plan.views;
    result_.plan.variants.clear();
  }

  /// `is_base`: the program that the result was begun from; its ids hold as they are.
  void add(Program& program, bool is_base) {
    source_ = &program;
    is_base_ = is_base;
    symbols_.clear(), buffers_.clear(), plan_buffers_.clear(), maps_.clear(), kernels_.clear();
    ExprImport copy(
        program.arena, result_.arena,
        {[this](SymbolId s) { return symbol(s); }, [this](BufferId b) { return buffer(b); }});
    expression_ = [&](ExprId id) { return is_base_ ? id : copy(id); };
    if (!is_base) {
      join_views();
      join_plan_buffers();
      join_maps();
    }
    const std::vector<std::string> users = users_of_kernels(program);
    for (std::size_t k = 0; k < program.kernels.size(); ++k)
      join_kernel(program.kernels[k], users[k]);
    for (plan::Variant& variant_of : program.plan.variants) join_variant(std::move(variant_of));
  }

  Program take() {
    drop_repetitions();
    CDSL_CHECK(result_.plan.variants.size() <= plan::kMaxVariants,
               "too many variants of " + result_.name);
    result_.plan.arena = result_.arena;
    return std::move(result_);
  }

 private:
  static bool is_shared(const SymbolInfo& info) {
    return info.kind == SymbolKind::Size || info.kind == SymbolKind::Scalar;
  }

  // Sizes and scalars are the result's of that name; registers and indices become new ones.
  SymbolId symbol(SymbolId id) {
    if (is_base_) return id;
    const auto [found, is_new] = symbols_.try_emplace(id.value);
    if (is_new) found->second = import_symbol(id);
    return found->second;
  }

  SymbolId import_symbol(SymbolId id) {
    const SymbolInfo& info = source_->arena.symbol(id);
    for (std::size_t s = 0; s < source_->specials.size(); ++s) {
      if (source_->specials[s] == id) return result_.specials[s];
    }
    for (std::size_t k = 0; is_shared(info) && k < result_.arena.symbol_count(); ++k) {
      const SymbolInfo& other = result_.arena.symbol(SymbolId(k));
      if (other.kind == info.kind && other.type == info.type && other.name == info.name)
        return SymbolId(k);
    }
    return result_.arena.add_symbol(info.name, info.kind, info.type);
  }

  BufferId buffer(BufferId id) {
    if (is_base_) return id;
    const auto [found, is_new] = buffers_.try_emplace(id.value);
    if (is_new) {
      found->second = BufferId(result_.buffers.size());
      result_.buffers.push_back(source_->buffer(id));
    }
    return found->second;
  }

  uint32_t plan_buffer(uint32_t index) const { return is_base_ ? index : plan_buffers_.at(index); }

  void join_views() {
    for (plan::ViewSymbol view : source_->plan.views) {
      view.symbol = symbol(view.symbol);
      const auto same = [&](const plan::ViewSymbol& other) { return other.symbol == view.symbol; };
      auto& views = result_.plan.views;
      if (std::none_of(views.begin(), views.end(), same)) views.push_back(view);
    }
  }

  void join_plan_buffers() {
    for (plan::Buffer buffer : source_->plan.buffers) {
      buffer.bytes = expression_(buffer.bytes);
      plan_buffers_.push_back(find_or_add(std::move(buffer)));
    }
  }

  uint32_t find_or_add(plan::Buffer buffer) {
    auto& all = result_.plan.buffers;
    const bool is_parameter = buffer.kind == plan::Buffer::Kind::Parameter;
    for (uint32_t k = 0; k < all.size(); ++k) {
      const plan::Buffer& other = all[k];
      if (other.kind != buffer.kind) continue;
      const bool same = is_parameter ? other.tensor == buffer.tensor && other.part == buffer.part
                                     : other.name == buffer.name && other.bytes == buffer.bytes &&
                                           other.contents == buffer.contents;
      if (same) return k;
    }
    CDSL_CHECK(!is_parameter, "a parameter that another variant does not have: " + buffer.name);
    const std::string wanted = buffer.name;
    const auto taken = [&](const plan::Buffer& other) { return other.name == buffer.name; };
    for (int k = 2; std::any_of(all.begin(), all.end(), taken); ++k)
      buffer.name = wanted + "_" + std::to_string(k);
    all.push_back(std::move(buffer));
    return static_cast<uint32_t>(all.size() - 1);
  }

  void join_maps() {
    for (TensorMap map : source_->maps) {
      map.buffer = plan_buffer(map.buffer);
      for (ExprId& id : map.extents) id = expression_(id);
      for (ExprId& id : map.strides) id = expression_(id);
      const auto same = [&](const TensorMap& other) {
        return other.name == map.name && other.buffer == map.buffer && other.type == map.type &&
               other.extents == map.extents && other.strides == map.strides &&
               other.box == map.box && other.swizzle == map.swizzle;
      };
      const auto found = std::find_if(result_.maps.begin(), result_.maps.end(), same);
      maps_.push_back(static_cast<uint32_t>(found - result_.maps.begin()));
      if (found == result_.maps.end()) result_.maps.push_back(std::move(map));
    }
  }

  uint32_t map(uint32_t index) const { return is_base_ ? index : maps_.at(index); }

  void join_kernel(Kernel& kernel, const std::string& variant) {
    const Fingerprint print = fingerprint(*source_, kernel);
    const auto known = known_.find(print.text);
    if (known != known_.end()) return kernels_.push_back(known->second);
    kernel.name = free_name(kernel.name, variant);
    std::vector<uint32_t> sites;
    for (uint32_t k : print.sites) {
      ReportSite site = source_->sites[k];
      site.kernel = kernel.name;
      sites.push_back(static_cast<uint32_t>(result_.sites.size()));
      result_.sites.push_back(std::move(site));
    }
    for (BufferId& id : kernel.buffers) id = buffer(id);
    for (SymbolId& id : kernel.scalars) id = symbol(id);
    for (uint32_t& index : kernel.maps) index = map(index);
    for (Multiple& fact : kernel.multiples) fact.symbol = symbol(fact.symbol);
    for (Alignment& fact : kernel.alignments) fact.buffer = buffer(fact.buffer);
    for (BufferId& id : kernel.streamed) id = buffer(id);
    rename(kernel.body,
           {[this](SymbolId s) { return symbol(s); }, [this](BufferId b) { return buffer(b); },
            expression_, [&](uint32_t number) { return sites[number]; },
            [this](uint32_t m) { return map(m); }});
    const auto index = static_cast<uint32_t>(result_.kernels.size());
    known_.emplace(print.text, index);
    kernels_.push_back(index);
    result_.kernels.push_back(std::move(kernel));
  }

  std::string free_name(const std::string& wanted, const std::string& variant) {
    std::string name = wanted;
    for (int k = 1; !names_.insert(name).second; ++k) {
      name = wanted + "_" + variant;
      if (k > 1) name += "_" + std::to_string(k);
    }
    return name;
  }

  void join_variant(plan::Variant variant) {
    for (plan::Guard& guard : variant.guards) std::visit([this](auto& node) { move(node); }, guard);
    move(variant.steps);
    result_.plan.variants.push_back(std::move(variant));
  }

  void move(plan::BufferRef& ref) { ref.buffer = plan_buffer(ref.buffer); }
  void move(plan::Holds& guard) { guard.condition = expression_(guard.condition); }
  void move(plan::Aligned& guard) { move(guard.buffer); }
  void move(plan::NoAlias& guard) {
    for (plan::BufferRef& ref : guard.buffers) move(ref);
  }
  void move(std::vector<plan::Step>& steps) {
    for (plan::Step& step : steps) std::visit([this](auto& node) { move(node); }, step.what);
  }
  void move(plan::Launch& launch) {
    launch.kernel = kernels_[launch.kernel];
    for (ExprId* id : {&launch.grid.items, &launch.grid.blocks, &launch.grid.tiles}) *id = expression_(*id);
    for (plan::BufferRef& ref : launch.mapped) move(ref);
    for (plan::Argument& argument : launch.arguments) {
      if (auto* ref = std::get_if<plan::BufferRef>(&argument.value)) {
        move(*ref);
      } else {
        argument.value = expression_(std::get<ExprId>(argument.value));
      }
    }
  }
  void move(plan::Fill& fill) { move(fill.buffer); }
  void move(plan::Copy& copy) {
    move(copy.to), move(copy.from);
    copy.bytes = expression_(copy.bytes);
  }
  void move(plan::Loop& loop) {
    loop.index = symbol(loop.index);
    loop.lo = expression_(loop.lo);
    loop.hi = expression_(loop.hi);
    if (loop.stop >= 0) loop.stop = static_cast<int>(plan_buffer(static_cast<uint32_t>(loop.stop)));
    move(loop.steps);
  }

  void drop_repetitions() {
    result_.plan.arena = result_.arena;
    auto& variants = result_.plan.variants;
    for (std::size_t k = variants.size(); k-- > 1;) {
      if (steps_text(result_, variants[k - 1].steps) == steps_text(result_, variants[k].steps))
        variants.erase(variants.begin() + static_cast<std::ptrdiff_t>(k - 1));
    }
  }

  Program result_;
  std::map<std::string, uint32_t> known_;  // kernels of the result by fingerprint
  std::set<std::string> names_;

  // Of the program that is being added: what its ids became.
  Program* source_ = nullptr;
  bool is_base_ = false;
  std::function<ExprId(ExprId)> expression_;
  std::map<uint32_t, SymbolId> symbols_;
  std::map<uint32_t, BufferId> buffers_;
  std::vector<uint32_t> plan_buffers_, maps_, kernels_;
};

}  // namespace

Program join_variants(std::vector<Program> programs) {
  CDSL_CHECK(!programs.empty(), "nothing to join");
  if (programs.size() == 1) return std::move(programs.front());
  Joiner joiner(programs.back());
  for (Program& program : programs) joiner.add(program, &program == &programs.back());
  return joiner.take();
}

}  // namespace cdsl::loop
