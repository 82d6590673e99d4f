// Records, sites and the headers of kernels.
#include "frontend/ir_reader/loop_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/ir_reader/loop_words.h"

namespace cdsl::ir_reader {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40, kMaxArray = 1 << 20;

}  // namespace

LoopReader::LoopReader(Cursor& cursor, const tir::Function* function)
    : c_(cursor),
      function_(function),
      p_(loop::Program::over(function != nullptr ? function->arena : ExprArena(), {})),
      names_(cursor, p_),
      reader_(cursor, p_.arena, names_) {
  if (function == nullptr) return;
  for (const tir::Size& size : function->sizes)
    names_.add_shared(p_.arena.symbol(size.symbol).name, size.symbol);
  for (const tir::ScalarParameter& s : function->scalars)
    names_.add_shared(p_.arena.symbol(s.symbol).name, s.symbol);
}

loop::Program LoopReader::read() {
  c_.expect("program");
  p_.name = c_.name("the program's name");
  c_.expect(Tok::Semicolon);
  while (c_.at_word("record")) record();
  while (c_.at_word("site")) site();
  while (c_.at_word("note") || c_.at_word("kernel")) kernel();
  plan();
  p_.plan.arena = p_.arena;
  return std::move(p_);
}

// record P size 24 align 8 { pos: f32[3] @0; body.mass: f64 @16; }
void LoopReader::record() {
  const SourceRange begin = c_.here();
  c_.advance();
  RecordType record;
  record.name = c_.name("the record's name");
  c_.expect("size");
  record.size = c_.integer_between(1, kMaxBytes);
  c_.expect("align");
  record.alignment = c_.integer_between(1, 4096);
  c_.expect(Tok::LBrace);
  std::int64_t end = 0;
  while (!c_.accept(Tok::RBrace)) {
    Leaf leaf;
    leaf.path = c_.path();
    c_.expect(Tok::Colon);
    leaf.type = c_.scalar_type();
    while (c_.accept(Tok::LBracket)) {
      leaf.extents.push_back(c_.integer_between(1, kMaxArray));
      if (leaf.count() > kMaxArray) c_.fail("this array is too large");
      c_.expect(Tok::RBracket);
    }
    c_.expect(Tok::At);
    leaf.offset = c_.integer_between(0, kMaxBytes);
    c_.expect(Tok::Semicolon);
    const std::int64_t unit = size_of(leaf.type);
    if (leaf.offset < end || leaf.offset % unit != 0)
      c_.fail(c_.since(begin), fmt::format("leaf '{}' overlaps, or is not aligned", leaf.path));
    end = leaf.offset + unit * leaf.count();
    record.leaves.push_back(std::move(leaf));
  }
  if (record.leaves.empty() || end > record.size)
    c_.fail(c_.since(begin), "the leaves do not fit the record's size");
  records_.push_back(std::move(record));
}

// site read_outside "x, axis 0" in "kernel";
void LoopReader::site() {
  loop::ReportSite site;
  site.where = c_.here();
  c_.advance();
  site.kind = word<loop::ReportSite::Kind>(c_, 5, "the kind of a site");
  site.what = c_.string();
  c_.expect(Tok::KwIn);
  site.kernel = c_.string();
  c_.expect(Tok::Semicolon);
  p_.sites.push_back(std::move(site));
}

RecordType LoopReader::element() {
  for (const RecordType& record : records_) {
    if (record.name == c_.text()) return c_.advance(), record;
  }
  return scalar_record(c_.scalar_type());
}

// note "y = x" kernel k(x: f32[] const, N: i64) block(256, 1, 1) { ... }
void LoopReader::kernel() {
  loop::Kernel kernel;
  const SourceRange begin = c_.here();
  if (c_.accept("note")) kernel.note = c_.string();
  c_.expect("kernel");
  kernel.name = c_.name("the kernel's name");
  c_.expect(Tok::LParen);
  while (!c_.at(Tok::RParen)) {
    if (!kernel.buffers.empty() || !kernel.scalars.empty() || !kernel.maps.empty())
      c_.expect(Tok::Comma);
    parameter(kernel);
  }
  c_.expect(Tok::RParen);
  c_.expect("block");
  shape(kernel.block);
  if (c_.accept("resident")) kernel.resident = static_cast<int>(c_.integer_between(1, 64));
  if (c_.accept("cluster")) shape(kernel.cluster);
  kernel.where = c_.since(begin);
  c_.expect(Tok::LBrace);
  facts(kernel);
  own_buffers(kernel);
  statements(kernel.body);
  c_.expect(Tok::RBrace);
  names_.end_kernel();
  p_.kernels.push_back(std::move(kernel));
}

void LoopReader::parameter(loop::Kernel& kernel) {
  const SourceRange begin = c_.here();
  if (c_.at_word("map") && c_.kind(1) == Tok::Name) {
    c_.advance();
    kernel.maps.push_back(names_.add_map(c_.name("a tensor map")));
    return;
  }
  if (!kernel.maps.empty()) c_.fail("tensor maps stand after scalars");
  const std::string name = c_.name("a parameter");
  c_.expect(Tok::Colon);
  if (c_.kind(1) == Tok::LBracket) {
    if (!kernel.scalars.empty()) c_.fail(begin, "buffers stand before scalars");
    loop::Buffer buffer{name, element(), loop::Space::Global, 0, false};
    c_.expect(Tok::LBracket);
    c_.expect(Tok::RBracket);
    buffer.read_only = c_.accept("const");
    kernel.buffers.push_back(names_.add_buffer(std::move(buffer), begin));
    return;
  }
  const ScalarType type = c_.scalar_type();
  SymbolKind kind = type == ScalarType::I64 ? SymbolKind::Size : SymbolKind::Scalar;
  if (c_.accept("index"))
    kind = SymbolKind::Index;
  else if (c_.accept("scalar"))
    kind = SymbolKind::Scalar;
  else if (c_.accept("size"))
    kind = SymbolKind::Size;
  kernel.scalars.push_back(names_.shared(name, kind, type));
  names_.show(name, kernel.scalars.back());
}

void LoopReader::shape(int (&extents)[3]) {
  c_.expect(Tok::LParen);
  for (int k = 0; k < 3; ++k) {
    if (k > 0) c_.expect(Tok::Comma);
    extents[k] = static_cast<int>(c_.integer_between(1, 1 << 16));
  }
  c_.expect(Tok::RParen);
}

// multiple N of 4; aligned x to 16; streams x;
void LoopReader::facts(loop::Kernel& kernel) {
  while (c_.kind(1) == Tok::Name) {
    if (c_.accept("multiple")) {
      const SymbolId symbol = names_.visible();
      c_.expect("of");
      kernel.multiples.push_back({symbol, c_.integer_between(1, kMaxBytes)});
    } else if (c_.accept("aligned")) {
      const BufferId buffer = names_.buffer();
      c_.expect("to");
      kernel.alignments.push_back({buffer, c_.integer_between(1, kMaxBytes)});
    } else if (c_.accept("streams")) {
      kernel.streamed.push_back(names_.buffer());
    } else {
      return;
    }
    c_.expect(Tok::Semicolon);
  }
}

// shared tile: f32[256];
void LoopReader::own_buffers(loop::Kernel& kernel) {
  while ((c_.at_word("shared") || c_.at_word("register")) && c_.kind(1) == Tok::Name &&
         c_.kind(2) == Tok::Colon) {
    const SourceRange begin = c_.here();
    loop::Buffer buffer;
    buffer.space = c_.at_word("shared") ? loop::Space::Shared : loop::Space::Register;
    c_.advance();
    buffer.name = c_.name("a buffer");
    c_.expect(Tok::Colon);
    buffer.element = element();
    c_.expect(Tok::LBracket);
    buffer.count = c_.integer_between(1, std::int64_t{1} << 32);
    c_.expect(Tok::RBracket);
    c_.expect(Tok::Semicolon);
    kernel.buffers.push_back(names_.add_buffer(std::move(buffer), begin));
  }
}

}  // namespace cdsl::ir_reader
