#include "frontend/sema/analysis.h"

#include <algorithm>

#include "dsl/expr/print.h"

namespace cdsl::sema {

Analysis::Analysis(const ast::Program& the_program, const Module& the_module,
                   const AnalyzeOptions& the_options, DiagnosticSink& the_sink)
    : program(the_program),
      module(the_module),
      options(the_options),
      sink(the_sink),
      untyped(fn.arena) {}

Diagnostic& Analysis::report(Code code, SourceRange where, std::string message) {
  constexpr std::size_t kMaxNotes = 3;
  Diagnostic& diagnostic = sink.report(code, where, std::move(message));
  std::size_t notes = 0;
  for (std::size_t k = expansions.size(); k-- > first_expansion && notes < kMaxNotes; ++notes) {
    diagnostic.note(expansions[k].at, "in '" + expansions[k].name + "', which is used here");
  }
  return diagnostic;
}

bool Analysis::is_expanding(const void* decl) const {
  return std::any_of(expansions.begin(), expansions.end(),
                     [&](const Expansion& expansion) { return expansion.decl == decl; });
}

Prover& Analysis::prover() {
  if (!prover_) prover_ = std::make_unique<Prover>(fn.arena, facts_);
  return *prover_;
}

void Analysis::add_fact(ExprId condition) {
  facts_.push_back(condition);
  if (prover_) prover_->add_fact(condition);
}

void Analysis::add_check(ExprId condition, std::string message, std::vector<ExprId> operands,
                         SourceRange where, AsFact as_fact) {
  if (!checked_.insert(condition.value).second) return;
  fn.checks.push_back({condition, std::move(message), std::move(operands), where});
  if (as_fact == AsFact::Yes) add_fact(condition);
}

std::string Analysis::unique_name(const std::string& wanted) {
  std::string name = wanted;
  for (int& k = next_suffix_[wanted]; !names_.insert(name).second;) {
    name = wanted + "_" + std::to_string(++k + 1);
  }
  return name;
}

RecordId Analysis::record_of(const ElementType& element) {
  const bool scalar = element.record == nullptr;
  const auto key = std::make_pair(scalar ? std::string() : element.record->name,
                                  scalar ? static_cast<int>(element.scalar) : -1);
  const auto [found, is_new] = records_.try_emplace(key);
  if (is_new) {
    fn.records.push_back(scalar ? scalar_record(element.scalar) : element.record->record);
    found->second = RecordId(fn.records.size() - 1);
  }
  return found->second;
}

TensorSymbol& Analysis::add_tensor(const std::string& name, TensorKind kind, ElementType element,
                                   std::vector<ExprId> shape, SourceRange where) {
  constexpr tir::Role kRoles[] = {tir::Role::Input,     tir::Role::InOut,     tir::Role::Output,
                                  tir::Role::Temporary, tir::Role::Temporary, tir::Role::Input};
  tir::Tensor tensor;
  tensor.name = unique_name(name_prefix + name);
  tensor.element = record_of(element);
  tensor.shape = std::move(shape);
  tensor.may_be_one.assign(tensor.shape.size(), false);
  tensor.role = kRoles[static_cast<int>(kind)];
  tensor.declared = kind != TensorKind::Intermediate;
  tensor.where = where;
  fn.tensors.push_back(std::move(tensor));
  TensorSymbol& symbol = tensors.emplace_back();
  symbol.id = TensorId(fn.tensors.size() - 1);
  symbol.name = name;
  symbol.kind = kind;
  symbol.element = std::move(element);
  symbol.loop_depth = loops.size();
  symbol.home = blocks.empty() ? nullptr : blocks.back();
  symbol.where = where;
  return symbol;
}

Axis Analysis::make_axis(const std::string& name, ExprId lo, ExprId hi, RangeOrigin origin,
                         SourceRange where) {
  const Axis axis{arena().add_symbol(name, SymbolKind::Index), lo, hi};
  indices.emplace(axis.index, IndexInfo{lo, hi, origin, where});
  return axis;
}

bool Analysis::declare(const ast::Name& name, Entity entity) {
  const Entity* first = scopes.find(name.text);
  // What a `let` binds is its own: names that came after it are in scope where it is used, not where
  // it stands.
  const bool is_later = first != nullptr && first->order >= let_order;
  if (is_later && scopes.depth_of(name.text) <= let_depth) first = nullptr;
  SourceRange where = first != nullptr ? first->where : SourceRange{};
  if (first == nullptr) {
    if (const auto constant = module.constant(name.text)) where = constant.decl->name.range;
  }
  if (where.valid() || first != nullptr) {
    report(Code::NameInUse, name.range, "'" + name.text + "' is already in use")
        .note(where, "it is first used here");
    return false;
  }
  entity.where = name.range;
  scopes.declare(name.text, std::move(entity));
  return true;
}

std::string Analysis::text(ExprId id) const {
  ExprNames names;
  names.tensor = [this](TensorId tensor) { return fn.tensor(tensor).name; };
  names.leaf = [this](TensorId tensor, std::uint32_t leaf) {
    return fn.records[fn.tensor(tensor).element.index()].leaves[leaf].path;
  };
  names.depth_limit = 8;
  return to_string(fn.arena, id, names);
}

std::uint32_t AtPoints::next(Analysis& a) {
  // Places are never reused, so that what was computed at one is not found at another.
  return ++a.next_place;
}

}  // namespace cdsl::sema
