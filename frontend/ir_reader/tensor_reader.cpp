// The header of a function: records, sizes, scalars, tensors, and what must hold at launch.
#include "frontend/ir_reader/tensor_reader.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace cdsl::ir_reader {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40, kMaxAxis = 15, kMaxArray = 1 << 20;
constexpr std::size_t kMaxConstants = 1u << 20, kMaxRank = 16;

}  // namespace

tir::Function TensorReader::read() {
  const SourceRange begin = c_.here();
  c_.expect("function");
  f_.name = c_.name("the function's name");
  c_.expect(Tok::LBrace);
  while (declaration()) {
  }
  resolve_sizes();
  match_parameters(begin);
  names_.allow_memory(true);
  block(f_.body);
  c_.expect(Tok::RBrace);
  f_.where = c_.since(begin);
  return std::move(f_);
}

bool TensorReader::declaration() {
  if (c_.at_word("record"))
    record();
  else if (c_.at_word("size"))
    size();
  else if (c_.at_word("scalar"))
    scalar();
  else if (c_.accept("input"))
    tensor(tir::Role::Input, false);
  else if (c_.accept("inout"))
    tensor(tir::Role::InOut, false);
  else if (c_.accept("output"))
    tensor(tir::Role::Output, false);
  else if (c_.accept("temporary"))
    tensor(tir::Role::Temporary, false);
  else if (c_.accept("const"))
    tensor(tir::Role::Input, true);
  else if (c_.at_word("parameters"))
    parameters();
  else if (c_.at_word("check"))
    check();
  else if (c_.at_word("fact"))
    fact();
  else if (c_.at_word("directive"))
    directive();
  else if (c_.at_word("expect"))
    expectation();
  else if (!c_.accept("precision"))
    return false;
  else {
    c_.expect(Tok::LParen);
    c_.expect("tf32");
    c_.expect(Tok::RParen);
    f_.tf32 = true;
  }
  c_.expect(Tok::Semicolon);
  return true;
}

// record Particle { "pos": f32[3] at 0, "m": f32 at 12 } size 16 align 4;
void TensorReader::record() {
  const SourceRange begin = c_.here();
  c_.advance();
  RecordType record;
  record.name = c_.name("the record's name");
  c_.expect(Tok::LBrace);
  while (!c_.at(Tok::RBrace)) {
    if (!record.leaves.empty()) c_.expect(Tok::Comma);
    record_leaf(record);
  }
  c_.expect(Tok::RBrace);
  c_.expect("size");
  record.size = c_.integer_between(1, kMaxBytes);
  c_.expect("align");
  record.alignment = c_.integer_between(1, 4096);
  int64_t end = 0;
  for (const Leaf& leaf : record.leaves) {
    const int64_t unit = size_of(leaf.type);
    if (leaf.offset < end || leaf.offset % unit != 0)
      c_.fail(c_.since(begin), fmt::format("leaf '{}' overlaps, or is not aligned", leaf.path));
    end = leaf.offset + unit * leaf.count();
  }
  const bool known = std::any_of(f_.records.begin(), f_.records.end(),
                                 [&](const RecordType& r) { return r.name == record.name; });
  if (record.leaves.empty() || end > record.size || known) {
    c_.fail(c_.since(begin),
            known ? "a second record of this name" : "the leaves do not fit the record's size");
  }
  f_.records.push_back(std::move(record));
}

void TensorReader::record_leaf(RecordType& record) {
  Leaf leaf;
  leaf.path = c_.string();
  c_.expect(Tok::Colon);
  leaf.type = c_.scalar_type();
  if (c_.accept(Tok::LBracket)) {
    do {
      leaf.extents.push_back(c_.integer_between(1, kMaxArray));
      if (leaf.extents.size() > kMaxRank || leaf.count() > kMaxArray)
        c_.fail("this array is too large");
    } while (c_.accept(Tok::Comma));
    c_.expect(Tok::RBracket);
  }
  c_.expect("at");
  leaf.offset = c_.integer_between(0, kMaxBytes);
  record.leaves.push_back(std::move(leaf));
}

// size N from x axis 0 scale 1 offset 0 known 5;     size P parameter;
void TensorReader::size() {
  c_.advance();
  tir::Size size;
  size.symbol = names_.bind(SymbolKind::Size, ScalarType::I64);
  size.is_parameter = c_.accept("parameter");
  if (!size.is_parameter) {
    c_.expect("from");
    const SourceRange where = c_.here();
    derived_.push_back({f_.sizes.size(), c_.name("a tensor"), where});
    c_.expect("axis");
    size.axis = static_cast<uint32_t>(c_.integer_between(0, kMaxAxis));
    c_.expect("scale");
    size.scale = c_.integer(true);
    if (size.scale == 0) c_.fail("a scale is not 0");
    c_.expect("offset");
    size.offset = c_.integer(true);
  }
  if (c_.accept("known")) size.known = c_.integer_between(0, std::numeric_limits<int64_t>::max());
  f_.sizes.push_back(size);
}

void TensorReader::resolve_sizes() {
  for (const Derived& derived : derived_) {
    const auto found = std::find_if(f_.tensors.begin(), f_.tensors.end(),
                                    [&](const tir::Tensor& t) { return t.name == derived.tensor; });
    if (found == f_.tensors.end())
      c_.fail(derived.where, fmt::format("no tensor is named '{}'", derived.tensor));
    tir::Size& size = f_.sizes[derived.size];
    if (size.axis >= found->shape.size())
      c_.fail(derived.where, fmt::format("'{}' has no axis {}", derived.tensor, size.axis));
    size.tensor = TensorId(static_cast<std::size_t>(found - f_.tensors.begin()));
  }
}

/// Every tensor that the caller has is a parameter, once; so is every scalar.
void TensorReader::match_parameters(SourceRange where) {
  std::vector<int> tensors(f_.tensors.size(), 0), scalars(f_.scalars.size(), 0);
  for (const tir::Parameter& parameter : f_.parameters) {
    if (const auto* tensor = std::get_if<TensorId>(&parameter.what))
      ++tensors[tensor->index()];
    else
      ++scalars[std::get<uint32_t>(parameter.what)];
  }
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const tir::Tensor& tensor = f_.tensors[k];
    const bool is_parameter = tensor.role != tir::Role::Temporary && !tensor.is_constant;
    if (tensors[k] == (is_parameter ? 1 : 0)) continue;
    c_.fail(where, fmt::format("'{}' {}", tensor.name,
                               is_parameter ? "is to be named once by parameters(...)"
                                            : "is no parameter"));
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    if (scalars[k] != 1)
      c_.fail(where, fmt::format("'{}' is to be named once by parameters(...)",
                                 f_.arena.symbol(f_.scalars[k].symbol).name));
  }
}

void TensorReader::scalar() {
  const SourceRange begin = c_.here();
  c_.advance();
  if (c_.kind(1) != Tok::Colon || !scalar_type_named(c_.text(2))) c_.fail("expected 'name: type'");
  tir::ScalarParameter scalar;
  scalar.declared = *scalar_type_named(c_.text(2));
  scalar.symbol = names_.bind(SymbolKind::Scalar, evaluation_type(scalar.declared));
  c_.expect(Tok::Colon);
  c_.advance();
  scalar.where = c_.since(begin);
  f_.scalars.push_back(scalar);
}

// input u: f32[H, 1|W] layout(soa) strided inferred;
void TensorReader::tensor(tir::Role role, bool is_constant) {
  tir::Tensor tensor;
  const SourceRange begin = c_.here();
  tensor.name = c_.name("the tensor's name");
  tensor.role = role;
  tensor.is_constant = is_constant;
  c_.expect(Tok::Colon);
  tensor.element = element();
  c_.expect(Tok::LBracket);
  while (!c_.at(Tok::RBracket)) {
    if (!tensor.shape.empty()) c_.expect(Tok::Comma);
    if (tensor.shape.size() == kMaxRank) c_.fail(fmt::format("more than {} axes", kMaxRank));
    const bool may_be_one = c_.at_word("1") && c_.kind(1) == Tok::Pipe;
    for (int k = 0; may_be_one && k < 2; ++k) c_.advance();
    tensor.may_be_one.push_back(may_be_one);
    tensor.shape.push_back(reader_.expr_of(ScalarType::I64));
  }
  c_.expect(Tok::RBracket);
  tensor.layout = layout(f_.records[tensor.element.index()]);
  if (c_.accept("col_major"))
    tensor.order = tir::Order::ColMajor;
  else if (c_.accept("strided"))
    tensor.order = tir::Order::Strided;
  tensor.declared = !c_.accept("inferred");
  tensor.where = c_.since(begin);
  if (is_constant) constants(tensor);
  names_.bind_tensor(tensor.name, TensorId(f_.tensors.size()), begin);
  f_.tensors.push_back(std::move(tensor));
}

RecordId TensorReader::element() {
  const auto find = [&](const auto& same) {
    return static_cast<std::size_t>(std::find_if(f_.records.begin(), f_.records.end(), same) -
                                    f_.records.begin());
  };
  std::size_t found =
      find([&](const RecordType& r) { return !r.is_scalar() && r.name == c_.text(); });
  if (found == f_.records.size()) {
    const RecordType scalar = scalar_record(c_.scalar_type());
    found = find([&](const RecordType& r) { return r == scalar; });
    if (found == f_.records.size()) f_.records.push_back(scalar);
  } else {
    c_.advance();
  }
  return RecordId(found);
}

// layout(soa), layout(auto), layout(aosoa(32)), layout(split({0, 1}, {2}))
Layout TensorReader::layout(const RecordType& element) {
  Layout layout;
  if (!c_.accept("layout")) return layout;
  c_.expect(Tok::LParen);
  if (c_.accept("soa")) {
    layout.kind = Layout::Kind::Soa;
  } else if (c_.accept("auto")) {
    layout.kind = Layout::Kind::Auto;
  } else if (c_.accept("aosoa")) {
    layout.kind = Layout::Kind::Aosoa;
    c_.expect(Tok::LParen);
    layout.width = c_.integer_between(1, kMaxArray);
    c_.expect(Tok::RParen);
  } else {
    const SourceRange begin = c_.here();
    c_.expect("split");
    layout.kind = Layout::Kind::Split;
    std::vector<int> uses(element.leaves.size(), 0);
    c_.expect(Tok::LParen);
    do {
      auto& group = layout.groups.emplace_back();
      c_.expect(Tok::LBrace);
      do {
        const int64_t last = static_cast<int64_t>(element.leaves.size()) - 1;
        group.push_back(static_cast<uint32_t>(c_.integer_between(0, last)));
        ++uses[group.back()];
      } while (c_.accept(Tok::Comma));
      c_.expect(Tok::RBrace);
    } while (c_.accept(Tok::Comma));
    c_.expect(Tok::RParen);
    const bool each_once = std::all_of(uses.begin(), uses.end(), [](int n) { return n == 1; });
    if (!each_once) c_.fail(c_.since(begin), "a split names each leaf once");
  }
  c_.expect(Tok::RParen);
  return layout;
}

void TensorReader::constants(tir::Tensor& tensor) {
  const SourceRange begin = c_.here();
  const RecordType& element = f_.records[tensor.element.index()];
  if (!element.is_scalar()) c_.fail("constant arrays have scalar elements");
  c_.expect(Tok::Assign);
  c_.expect(Tok::LBrace);
  while (!c_.at(Tok::RBrace)) {
    if (!tensor.constants.empty()) c_.expect(Tok::Comma);
    if (tensor.constants.size() == kMaxConstants) c_.fail("too many constants");
    tensor.constants.push_back(reader_.literal(element.leaves[0].type));
  }
  c_.expect(Tok::RBrace);
  int64_t count = 1;
  for (ExprId extent : tensor.shape) {
    const Value* value = f_.arena.constant_value(extent);
    if (value == nullptr || value->i < 0 || value->i > kMaxArray)
      c_.fail(begin, "the extents of a constant array are constants");
    count = std::min(count * value->i, int64_t{kMaxConstants} + 1);
  }
  if (count != static_cast<int64_t>(tensor.constants.size())) {
    c_.fail(c_.since(begin),
            fmt::format("{} constants are expected, here are {}", count, tensor.constants.size()));
  }
}

void TensorReader::parameters() {
  c_.advance();
  c_.expect(Tok::LParen);
  while (!c_.at(Tok::RParen)) {
    if (!f_.parameters.empty()) c_.expect(Tok::Comma);
    if (names_.at_tensor())
      f_.parameters.push_back({names_.tensor()});
    else
      f_.parameters.push_back({names_.scalar()});
  }
  c_.expect(Tok::RParen);
}

// check N == M : "N is {0}, M is {1}"(N, M);
void TensorReader::check() {
  const SourceRange begin = c_.here();
  c_.advance();
  tir::Check check;
  check.condition = reader_.expr_of(ScalarType::Bool);
  c_.expect(Tok::Colon);
  check.message = c_.string();
  c_.expect(Tok::LParen);
  check.operands = reader_.list(Tok::RParen);
  c_.expect(Tok::RParen);
  check.where = c_.since(begin);
  f_.checks.push_back(std::move(check));
}

// fact N % 8 == 0;   fact require aligned(x, 16);   fact noalias(x, y);
void TensorReader::fact() {
  const SourceRange begin = c_.here();
  c_.advance();
  tir::Fact fact;
  fact.required = c_.accept("require");
  if (c_.accept("noalias")) {
    fact.kind = tir::Fact::Kind::NoAlias;
    if (c_.accept(Tok::LParen)) {
      do fact.tensors.push_back(names_.tensor());
      while (c_.accept(Tok::Comma));
      c_.expect(Tok::RParen);
    }
  } else if (c_.at_word("aligned") && c_.kind(1) == Tok::LParen) {
    c_.advance();
    c_.advance();
    fact.kind = tir::Fact::Kind::Aligned;
    fact.tensor = names_.tensor();
    c_.expect(Tok::Comma);
    fact.bytes = c_.integer_between(1, kMaxBytes);
    c_.expect(Tok::RParen);
  } else {
    fact.condition = reader_.expr_of(ScalarType::Bool);
  }
  fact.where = c_.since(begin);
  f_.facts.push_back(fact);
}

// directive "C" tile(m: "128", "acc") for "sm_90a";
void TensorReader::directive() {
  const SourceRange begin = c_.here();
  c_.advance();
  Directive directive;
  if (c_.at(Tok::String)) directive.target = c_.string();
  directive.name = c_.name("a directive");
  c_.expect(Tok::LParen);
  while (!c_.at(Tok::RParen)) {
    if (!directive.arguments.empty()) c_.expect(Tok::Comma);
    DirectiveArgument argument;
    argument.where = c_.here();
    if (c_.at(Tok::Name)) {
      argument.key = c_.name("a key");
      c_.expect(Tok::Colon);
    }
    argument.text = c_.string();
    directive.arguments.push_back(std::move(argument));
  }
  c_.expect(Tok::RParen);
  if (c_.accept("for")) directive.architecture = c_.string();
  directive.where = c_.since(begin);
  f_.directives.push_back(std::move(directive));
}

// expect "spills" == 0.0;
void TensorReader::expectation() {
  const SourceRange begin = c_.here();
  c_.advance();
  Expectation expectation;
  expectation.metric = c_.string();
  constexpr Tok kRelations[] = {Tok::EqEq, Tok::NotEq, Tok::Lt, Tok::Le, Tok::Gt, Tok::Ge};
  if (std::find(std::begin(kRelations), std::end(kRelations), c_.kind()) == std::end(kRelations))
    c_.fail_expected("a comparison");
  expectation.relation = c_.text();
  c_.advance();
  expectation.value = reader_.literal(ScalarType::F64).re;
  expectation.where = c_.since(begin);
  f_.expectations.push_back(std::move(expectation));
}

}  // namespace cdsl::ir_reader
