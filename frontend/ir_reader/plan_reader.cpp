// The Plan of a program.
#include <algorithm>

#include <fmt/format.h>

#include "frontend/ir_reader/loop_reader.h"

namespace cdsl::ir_reader {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::int64_t kMaxTensor = 1 << 16, kMaxPart = 1 << 16, kMaxAlignment = 1 << 30,
                       kMaxBox = 256;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

void LoopReader::plan() {
  c_.expect("plan");
  c_.expect(Tok::LBrace);
  names_.show_shared();
  names_.assume_sizes(function_ == nullptr);
  while (c_.at_word("parameter") || c_.at_word("workspace") || c_.at_word("constant"))
    plan_buffer();
  while (c_.at_word("view")) view();
  while (c_.at_word("map")) map();
  if (c_.at_word("variant")) {
    variants();
  } else {
    steps(p_.plan.general().steps);
  }
  c_.expect(Tok::RBrace);
  names_.assume_sizes(false);
  names_.end_kernel();
}

// parameter x: tensor 0 part 0 bytes N * 4;   workspace t: bytes N * 4;   constant w: bytes 4 =
// "0000803f";
void LoopReader::plan_buffer() {
  plan::Buffer buffer;
  if (c_.at_word("parameter")) buffer.kind = plan::Buffer::Kind::Parameter;
  if (c_.at_word("constant")) buffer.kind = plan::Buffer::Kind::Constant;
  c_.advance();
  const SourceRange begin = c_.here();
  buffer.name = c_.name("a buffer");
  const auto same = [&](const plan::Buffer& b) { return b.name == buffer.name; };
  if (std::any_of(p_.plan.buffers.begin(), p_.plan.buffers.end(), same)) {
    c_.fail(begin, fmt::format("a second buffer of the plan is named '{}'", buffer.name));
  }
  c_.expect(Tok::Colon);
  if (buffer.kind == plan::Buffer::Kind::Parameter) {
    c_.expect("tensor");
    buffer.tensor = tensor();
    c_.expect("part");
    buffer.part = static_cast<uint32_t>(c_.integer_between(0, kMaxPart));
    check_part(buffer, begin);
  }
  c_.expect("bytes");
  buffer.bytes = reader_.expr_of(ScalarType::I64);
  if (buffer.kind == plan::Buffer::Kind::Constant) {
    c_.expect(Tok::Assign);
    buffer.contents = bytes();
  }
  c_.expect(Tok::Semicolon);
  p_.plan.buffers.push_back(std::move(buffer));
}

TensorId LoopReader::tensor() {
  const std::int64_t last =
      function_ != nullptr ? static_cast<std::int64_t>(function_->tensors.size()) - 1 : kMaxTensor;
  return TensorId(static_cast<std::size_t>(c_.integer_between(0, last)));
}

void LoopReader::check_part(const plan::Buffer& buffer, SourceRange where) {
  if (function_ == nullptr) return;
  const tir::Tensor& tensor = function_->tensor(buffer.tensor);
  const std::size_t parts = parts_of(function_->element(buffer.tensor), decided(tensor.layout)).size();
  if (buffer.part >= parts) c_.fail(where, fmt::format("'{}' has {} parts", tensor.name, parts));
}

// view s = stride of tensor 0 axis 1;
void LoopReader::view() {
  c_.advance();
  plan::ViewSymbol view;
  const std::string name = c_.name("a name");
  c_.expect(Tok::Assign);
  if (!c_.accept("extent")) {
    c_.expect("stride");
    view.kind = plan::ViewSymbol::Kind::Stride;
  }
  c_.expect("of");
  c_.expect("tensor");
  view.tensor = tensor();
  c_.expect("axis");
  const std::int64_t rank =
      function_ != nullptr ? static_cast<std::int64_t>(function_->tensor(view.tensor).shape.size())
                           : 16;
  view.axis = static_cast<uint32_t>(c_.integer_between(0, rank - 1));
  c_.expect(Tok::Semicolon);
  view.symbol = names_.shared_i64(name);
  names_.show(name, view.symbol);
  p_.plan.views.push_back(view);
}

// map m: f16 of x extents (K, M) strides (K * 2) box (64, 128) swizzle 128;
void LoopReader::map() {
  c_.advance();
  const std::string name = c_.name("a tensor map");
  loop::TensorMap& map = p_.maps[names_.add_map(name)];
  if (!map.box.empty()) c_.fail(fmt::format("a second map is named '{}'", name));
  c_.expect(Tok::Colon);
  map.type = c_.scalar_type();
  c_.expect("of");
  map.buffer = buffer_index();
  for (const auto& [what, list] : {std::pair("extents", &map.extents), std::pair("strides", &map.strides)}) {
    c_.expect(what);
    c_.expect(Tok::LParen);
    *list = reader_.list(Tok::RParen);
    c_.expect(Tok::RParen);
  }
  c_.expect("box");
  c_.expect(Tok::LParen);
  do map.box.push_back(number(kMaxBox));
  while (c_.accept(Tok::Comma));
  c_.expect(Tok::RParen);
  if (c_.accept("swizzle")) map.swizzle = number(kMaxBox);
  c_.expect(Tok::Semicolon);
}

// variant fast when N % 8 == 0, aligned(x, 16), noalias(x, y) { }   variant general { }
void LoopReader::variants() {
  p_.plan.variants.clear();
  while (c_.accept("variant")) {
    if (p_.plan.variants.size() == plan::kMaxVariants)
      c_.fail(fmt::format("a plan has at most {} variants", plan::kMaxVariants));
    plan::Variant& variant = p_.plan.variants.emplace_back();
    variant.name = c_.name("the variant's name");
    if (c_.accept("when")) {
      do variant.guards.push_back(guard());
      while (c_.accept(Tok::Comma));
    }
    c_.expect(Tok::LBrace);
    steps(variant.steps);
    c_.expect(Tok::RBrace);
  }
}

plan::Guard LoopReader::guard() {
  const bool is_call = c_.kind(1) == Tok::LParen;
  if (is_call && c_.accept("aligned")) {
    plan::Aligned guard;
    c_.expect(Tok::LParen);
    guard.buffer.buffer = buffer_index();
    c_.expect(Tok::Comma);
    guard.bytes = c_.integer_between(1, kMaxAlignment);
    c_.expect(Tok::RParen);
    return guard;
  }
  if (is_call && c_.accept("noalias")) {
    plan::NoAlias guard;
    c_.expect(Tok::LParen);
    while (!c_.at(Tok::RParen)) {
      if (!guard.buffers.empty()) c_.expect(Tok::Comma);
      guard.buffers.push_back({buffer_index()});
    }
    c_.expect(Tok::RParen);
    return guard;
  }
  return plan::Holds{reader_.expr_of(ScalarType::Bool)};
}

void LoopReader::steps(std::vector<plan::Step>& out) {
  const Nested nested(c_, depth_, kMaxDepth);
  while (!c_.at(Tok::RBrace) && !c_.at_end()) out.push_back(step());
}

plan::Step LoopReader::step() {
  if (c_.at_word("loop")) return {plan_loop()};
  plan::Step out;
  if (c_.at_word("launch")) {
    out.what = launch();
  } else if (c_.accept("fill")) {
    const plan::BufferRef buffer{buffer_index()};
    out.what = plan::Fill{buffer, bytes()};
  } else if (c_.accept("copy")) {
    plan::Copy copy;
    copy.to.buffer = buffer_index();
    c_.expect("from");
    copy.from.buffer = buffer_index();
    c_.expect("bytes");
    copy.bytes = reader_.expr_of(ScalarType::I64);
    out.what = copy;
  } else {
    c_.fail_expected("a step of the plan");
  }
  c_.expect(Tok::Semicolon);
  return out;
}

// launch k items(N) (buffer x, N);
plan::Launch LoopReader::launch() {
  plan::Launch launch;
  launch.where = c_.here();
  c_.advance();
  const auto found = std::find_if(p_.kernels.begin(), p_.kernels.end(),
                                  [&](const loop::Kernel& k) { return c_.at_word(k.name); });
  if (found == p_.kernels.end()) c_.fail_expected("the name of a kernel");
  launch.kernel = static_cast<uint32_t>(found - p_.kernels.begin());
  c_.advance();
  ExprId plan::Grid::*const how = c_.accept("items")   ? &plan::Grid::items
                                  : c_.accept("tiles") ? &plan::Grid::tiles
                                                       : &plan::Grid::blocks;
  if (how == &plan::Grid::blocks) c_.expect("blocks");
  c_.expect(Tok::LParen);
  launch.grid.*how = reader_.expr_of(ScalarType::I64);
  c_.expect(Tok::RParen);
  launch.grid.resident = c_.accept("resident");
  c_.expect(Tok::LParen);
  while (!c_.at(Tok::RParen)) {
    if (!launch.arguments.empty()) c_.expect(Tok::Comma);
    launch.arguments.push_back(argument(*found, launch.arguments.size()));
  }
  c_.expect(Tok::RParen);
  for (const uint32_t map : found->maps) launch.mapped.push_back({p_.maps[map].buffer});
  launch.where = c_.since(launch.where);
  return launch;
}

plan::Argument LoopReader::argument(const loop::Kernel& kernel, std::size_t position) {
  if (c_.at_word("buffer") && c_.kind(1) == Tok::Name) {
    c_.advance();
    return {plan::BufferRef{buffer_index()}};
  }
  const auto is_global = [&](BufferId id) { return p_.buffer(id).space == loop::Space::Global; };
  const auto buffers = static_cast<std::size_t>(
      std::count_if(kernel.buffers.begin(), kernel.buffers.end(), is_global));
  const bool alone = c_.at(Tok::Name) && (c_.kind(1) == Tok::Comma || c_.kind(1) == Tok::RParen);
  if (alone && position >= buffers && position - buffers < kernel.scalars.size()) {
    names_.assume(c_.text(), p_.arena.symbol(kernel.scalars[position - buffers]).type);
  }
  return {reader_.expr()};
}

// loop t = 0 to T descending stop done { }
plan::Loop LoopReader::plan_loop() {
  c_.advance();
  plan::Loop loop;
  const std::string name = c_.name("an index");
  c_.expect(Tok::Assign);
  loop.lo = reader_.expr_of(ScalarType::I64);
  c_.expect("to");
  loop.hi = reader_.expr_of(ScalarType::I64);
  loop.descending = c_.accept("descending");
  if (c_.accept("stop")) loop.stop = static_cast<int>(buffer_index());
  c_.expect(Tok::LBrace);
  const std::size_t scope = names_.open();
  loop.index = names_.add_register(name, SymbolKind::Index, ScalarType::I64);
  names_.show(name, loop.index);
  steps(loop.steps);
  names_.close(scope);
  c_.expect(Tok::RBrace);
  return loop;
}

uint32_t LoopReader::buffer_index() {
  for (uint32_t k = 0; k < p_.plan.buffers.size(); ++k) {
    if (c_.at_word(p_.plan.buffers[k].name)) return c_.advance(), k;
  }
  c_.fail_expected("the name of a buffer of the plan");
}

std::vector<std::byte> LoopReader::bytes() {
  const SourceRange begin = c_.here();
  const std::string text = c_.string();
  std::vector<std::byte> out;
  for (std::size_t k = 0; k + 1 < text.size(); k += 2) {
    const int high = hex_digit(text[k]), low = hex_digit(text[k + 1]);
    if (high < 0 || low < 0) c_.fail(begin, "expected bytes in hexadecimal");
    out.push_back(static_cast<std::byte>(high * 16 + low));
  }
  if (text.size() % 2 != 0) c_.fail(begin, "expected two hexadecimal digits for each byte");
  return out;
}

}  // namespace cdsl::ir_reader
