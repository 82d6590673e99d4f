// Text of Loop IR. The grammar is in docs/ir.md; the plan's part is in print_plan.cpp.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"
#include "dsl/loop/print_async.h"
#include "dsl/loop/print_plan.h"
#include "dsl/loop/print_tile.h"
#include "dsl/loop/program.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), names_(names_in(program)) {}

  std::string print() {
    line(fmt::format("program {};", program_.name));
    print_records();
    for (const ReportSite& site : program_.sites) {
      line(fmt::format("site {} {} in {};", name_of(site.kind), quoted(site.what),
                       quoted(site.kernel)));
    }
    for (const Kernel& kernel : program_.kernels) {
      ++owner_.kernel;
      owner_.where = kernel.where;
      print_kernel(kernel);
    }
    return std::move(out_) + to_string(program_.plan, program_);
  }

  /// What the lines of the text so far belong to; the plan's are not among them.
  std::vector<TextLine> take_owners() { return std::move(owners_); }

  std::string print(const Kernel& kernel) {
    print_kernel(kernel);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    out_.append(static_cast<std::size_t>(2 * depth_), ' ').append(text).push_back('\n');
    owners_.push_back(owner_);
  }

  std::string text(ExprId id) const { return cdsl::to_string(program_.arena, id, names_); }
  const SymbolInfo& info(SymbolId id) const { return program_.arena.symbol(id); }
  const Buffer& buffer(BufferId id) const { return program_.buffer(id); }

  void print_records() {
    std::vector<const RecordType*> seen;
    for (const Buffer& buffer : program_.buffers) {
      const RecordType& record = buffer.element;
      if (record.is_scalar()) continue;
      const auto same = [&](const RecordType* other) { return other->name == record.name; };
      if (std::any_of(seen.begin(), seen.end(), same)) continue;
      seen.push_back(&record);
      line(
          fmt::format("record {} size {} align {} {{", record.name, record.size, record.alignment));
      for (const Leaf& leaf : record.leaves) {
        std::string extents;
        for (int64_t extent : leaf.extents) extents += fmt::format("[{}]", extent);
        line(fmt::format("  {}: {}{} @{};", leaf.path, cdsl::name_of(leaf.type), extents,
                         leaf.offset));
      }
      line("}");
    }
  }

  std::string element_text(const Buffer& b) const {
    return b.element.is_scalar() ? std::string(cdsl::name_of(b.element.leaves[0].type))
                                 : b.element.name;
  }

  // What a parameter is, where its type does not say: i64 are sizes, others scalars.
  static const char* kind_text(const SymbolInfo& symbol) {
    const bool is_i64 = symbol.type == ScalarType::I64;
    if (symbol.kind == SymbolKind::Index) return " index";
    if (symbol.kind == SymbolKind::Size) return is_i64 ? "" : " size";
    return is_i64 ? " scalar" : "";
  }

  void print_kernel(const Kernel& kernel) {
    std::string parameters;
    const auto parameter = [&](const std::string& text) {
      parameters += (parameters.empty() ? "" : ", ") + text;
    };
    for (BufferId id : kernel.buffers) {
      const Buffer& b = buffer(id);
      if (b.space != Space::Global) continue;
      parameter(fmt::format("{}: {}[]{}", b.name, element_text(b), b.read_only ? " const" : ""));
    }
    for (SymbolId s : kernel.scalars)
      parameter(
          fmt::format("{}: {}{}", info(s).name, cdsl::name_of(info(s).type), kind_text(info(s))));
    for (uint32_t map : kernel.maps) parameter("map " + program_.maps[map].name);
    line("");
    if (!kernel.note.empty()) line("note " + quoted(kernel.note));
    std::string shape =
        fmt::format("block({}, {}, {})", kernel.block[0], kernel.block[1], kernel.block[2]);
    if (kernel.resident > 0) shape += fmt::format(" resident {}", kernel.resident);
    if (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] != 1) {
      shape += fmt::format(" cluster({}, {}, {})", kernel.cluster[0], kernel.cluster[1],
                           kernel.cluster[2]);
    }
    line(fmt::format("kernel {}({}) {} {{", kernel.name, parameters, shape));
    ++depth_;
    print_facts(kernel);
    for (BufferId id : kernel.buffers) {
      const Buffer& b = buffer(id);
      if (b.space == Space::Global) continue;
      const char* space = b.space == Space::Shared ? "shared" : "register";
      line(fmt::format("{} {}: {}[{}];", space, b.name, element_text(b), b.count));
    }
    print_block(kernel.body);
    --depth_;
    line("}");
  }

  // What the launch guarantees, and what is read once.
  void print_facts(const Kernel& kernel) {
    for (const Multiple& fact : kernel.multiples)
      line(fmt::format("multiple {} of {};", info(fact.symbol).name, fact.of));
    for (const Alignment& fact : kernel.alignments)
      line(fmt::format("aligned {} to {};", buffer(fact.buffer).name, fact.bytes));
    for (const BufferId id : kernel.streamed) line(fmt::format("streams {};", buffer(id).name));
  }

  void print_block(const Block& block) {
    const TextLine outside = owner_;
    for (const Statement& statement : block.statements) {
      owner_.statement = &statement;
      owner_.where = statement.where;
      define_shared_nodes(statement);
      std::visit([&](const auto& node) { print_node(node); }, statement.node);
      names_.defined.clear();
    }
    owner_ = outside;
  }

  // Deep or shared expressions are written in pieces, `%0 := ...`, that hold for the next
  // statement.
  void define_shared_nodes(const Statement& statement) {
    std::vector<ExprId> roots;
    for_each_expression(statement, [&](ExprId id) { roots.push_back(id); });
    const std::unordered_set<ExprId> bound = nodes_of_reducer(statement, roots);
    int next = 0;
    for (ExprId id : nodes_to_define(program_.arena, roots)) {
      if (bound.contains(id)) continue;
      std::string name = fmt::format("%{}", next++);
      line(name + " := " + text(id) + ";");
      names_.defined.emplace(id, std::move(name));
    }
  }

  // What mentions the accumulators of a reducer of the user, which nothing outside it sees.
  std::unordered_set<ExprId> nodes_of_reducer(const Statement& statement,
                                              const std::vector<ExprId>& roots) const {
    std::unordered_set<ExprId> bound;
    const std::vector<SymbolId> accumulators = accumulators_of(statement);
    if (accumulators.empty()) return bound;
    for (ExprId id : postorder(program_.arena, roots)) {
      const auto* symbol = program_.arena.get_if<Symbol>(id);
      const auto args = program_.arena.args(id);
      const bool mentions =
          (symbol != nullptr && std::find(accumulators.begin(), accumulators.end(),
                                          symbol->symbol) != accumulators.end()) ||
          std::any_of(args.begin(), args.end(), [&](ExprId arg) { return bound.contains(arg); });
      if (mentions) bound.insert(id);
    }
    return bound;
  }

  // Statements whose blocks print statements of their own take their header's text first.
  void body(const std::string& header, const Block& block, const char* closing = "}") {
    line(header + " {");
    owner_.statement = nullptr;
    names_.defined.clear();
    ++depth_;
    print_block(block);
    --depth_;
    line(closing);
  }

  std::string place(const Access& access) const { return place_text(program_, access, names_); }

  std::string typed(SymbolId local) const {
    return fmt::format("{}: {}", info(local).name, cdsl::name_of(info(local).type));
  }

  void print_node(const Let& n) {
    const std::string within = n.lo.valid() ? fmt::format(" within ({}, {})", text(n.lo), text(n.hi)) : "";
    line(fmt::format("let {} = {}{};", typed(n.local), text(n.value), within));
  }
  void print_node(const Var& n) {
    line(fmt::format("var {}{}: {} = {};", info(n.local).name,
                     over_text(n.over, program_.arena), cdsl::name_of(info(n.local).type),
                     text(n.value)));
  }
  void print_node(const Assign& n) {
    line(fmt::format("{} = {};", info(n.local).name, text(n.value)));
  }
  void print_node(const Store& n) { line(fmt::format("{} = {};", place(n.access), text(n.value))); }

  void print_node(const VectorLoad& n) {
    std::string locals;
    for (SymbolId s : n.locals) locals += (locals.empty() ? "" : ", ") + typed(s);
    line(fmt::format("let ({}) = vector {};", locals, place(n.access)));
  }

  void print_node(const VectorStore& n) {
    std::string values;
    for (ExprId v : n.values) values += (values.empty() ? "" : ", ") + text(v);
    line(fmt::format("vector {} = ({});", place(n.access), values));
  }

  void print_node(const VectorMove& n) {
    line(fmt::format("vector {} {} = {};", text(n.width), place(n.to), place(n.from)));
  }

  void print_node(const Atomic& n) {
    std::string out = n.old.valid() ? fmt::format("let {} = ", typed(n.old)) : "";
    out += fmt::format("atomic {} {}, {}", name_of(n.op), place(n.access), text(n.value));
    if (n.expected.valid()) out += " expect " + text(n.expected);
    line(fmt::format("{} {} {};", out, name_of(n.order), name_of(n.scope)));
  }

  void print_node(const For& n) {
    std::string out = fmt::format("for {} = {} to {} step {}", typed(n.index), text(n.lo),
                                  text(n.hi), text(n.step));
    if (n.unroll != 0) out += fmt::format(" unroll {}", n.unroll);
    if (!n.note.empty()) out += " note " + quoted(n.note);
    body(out, *n.body);
  }

  void print_node(const While& n) { body("while " + text(n.condition), *n.body); }

  void print_node(const If& n) {
    const std::string header = "if " + text(n.condition);
    if (n.else_body == nullptr) return body(header, *n.then_body);
    body(header, *n.then_body, "} else {");
    ++depth_;
    print_block(*n.else_body);
    --depth_;
    line("}");
  }

  void print_node(const Barrier& n) { line(fmt::format("barrier {};", name_of(n.scope))); }
  void print_node(const Fence& n) { line(fmt::format("fence {};", name_of(n.scope))); }

  void print_node(const Shuffle& n) {
    line(fmt::format("let {} = shuffle {} {}, {} mask {:#010x};", typed(n.result), name_of(n.kind),
                     text(n.value), text(n.lane), n.mask));
  }

  void print_node(const Vote& n) {
    line(fmt::format("let {} = vote {} {} mask {:#010x};", typed(n.result), name_of(n.kind),
                     text(n.predicate), n.mask));
  }

  void print_node(const Report& n) { line(fmt::format("report {}, {};", n.site, text(n.value))); }

  void print_node(const Comment& n) { line("note " + quoted(n.text) + ";"); }

  void print_node(const TileAxis& n) { line(to_text(n, program_.arena, names_)); }
  void print_node(const TileReduce& n) { line(to_text(n, program_.arena, names_)); }
  void print_node(const TileScan& n) { line(to_text(n, program_.arena, names_)); }
  void print_node(const TileMultiply& n) { line(to_text(n, program_.arena, names_)); }

  template <class Node>
  void print_node(const Node& n) {
    line(to_text(n, program_, names_));
  }

  const Program& program_;
  ExprNames names_;
  std::string out_;
  std::vector<TextLine> owners_;   // a line each, without its text
  TextLine owner_;
  int depth_ = 0;
};

}  // namespace

std::string to_string(const Program& program) {
  return Printer(program).print();
}

std::vector<TextLine> to_lines(const Program& program) {
  Printer printer(program);
  const std::string text = printer.print();
  std::vector<TextLine> lines = printer.take_owners();
  std::size_t at = 0;
  for (std::size_t k = 0; at < text.size(); ++k) {
    const std::size_t end = text.find('\n', at);
    if (k == lines.size()) lines.emplace_back();
    lines[k].text = text.substr(at, end - at);
    at = end + 1;
  }
  return lines;
}

std::string to_string(const Program& program, const Kernel& kernel) {
  return Printer(program).print(kernel);
}

}  // namespace cdsl::loop
