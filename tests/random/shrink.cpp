#include "tests/random/shrink.h"

#include <algorithm>
#include <chrono>

#include "tests/random/edits.h"

namespace cdsl::random {
namespace {

using Clock = std::chrono::steady_clock;

class Shrinker {
 public:
  Shrinker(const Program& program, const Finding& finding, const CheckOptions& options, double seconds, const Fault& fault)
      : best_{program, finding, 0, 0}, options_(options), fault_(fault), signature_(finding.signature()),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  Shrunk run() {
    for (bool again = true; again && !over();) {
      const int before = best_.steps;
      drop_outputs();
      drop_statements();
      drop_flags();
      inline_lets();
      replace_nodes();
      drop_axes();
      lower_sizes();
      lower_extents();
      plain_declarations();
      again = best_.steps > before;
    }
    return std::move(best_);
  }

 private:
  bool over() const { return Clock::now() > end_; }

  bool keeps(const Program& program, const Setup& setup) {
    if (over()) return false;
    ++best_.tries;
    CheckOptions options = options_;
    options.setups = {setup};
    const std::string text = program.print();
    std::erase_if(options.setups[0].sizes, [&](const auto& size) { return !mentions(text, size.first); });
    if (!best_.finding.data.empty()) options.data = {best_.finding.data};
    const CheckReport report = check(text, options.setups[0].sizes, options, fault_);
    for (const Finding& finding : report.findings) {
      if (finding.kind.starts_with("refused") && !signature_.starts_with("refused")) return false;
    }
    for (const Finding& finding : report.findings) {
      if (finding.signature() != signature_) continue;
      best_.program = program;
      best_.finding = finding;
      best_.finding.seed = options_.seed;
      if (fault_) best_.finding.setup = options.setups[0];
      ++best_.steps;
      return true;
    }
    return false;
  }
  bool keeps(const Program& program) { return keeps(program, best_.finding.setup); }

  /// One output, and what it needs.
  void drop_outputs() {
    for (std::size_t k = 0; best_.program.outputs.size() > 1 && k < best_.program.outputs.size(); ++k) {
      Program smaller = best_.program;
      std::set<std::string> needed = {smaller.outputs[k].name};
      for (std::size_t at = smaller.body.size(); at-- > 0;) {
        Statement& statement = smaller.body[at];
        const bool is_needed = std::any_of(statement.defines.begin(), statement.defines.end(), [&](const std::string& name) { return needed.contains(name); });
        if (!is_needed) {
          smaller.body.erase(smaller.body.begin() + static_cast<std::ptrdiff_t>(at));
          continue;
        }
        Program alone = smaller;
        alone.body = {statement};
        const std::string text = alone.print();
        for (const Statement& other : best_.program.body)
          for (const std::string& name : other.defines)
            if (mentions(text, name)) needed.insert(name);
      }
      if (smaller.body.size() < best_.program.body.size() && keeps(smaller)) return;
    }
  }

  void drop_statements() {
    for (std::size_t k = 0;;) {
      Program smaller = best_.program;
      const auto places = statements(smaller);
      if (k >= places.size()) return;
      const auto [block, at] = places[places.size() - 1 - k];
      block->erase(block->begin() + static_cast<std::ptrdiff_t>(at));
      if (!keeps(smaller)) ++k;
      if (over()) return;
    }
  }

  void inline_lets() {
    for (std::size_t k = 0; !over();) {
      Program smaller = best_.program;
      const auto places = statements(smaller);
      if (k >= places.size()) return;
      const auto [block, at] = places[k];
      if (!inline_let(smaller, *block, at) || !keeps(smaller)) ++k;
    }
  }

  void drop_flags() {
    for (std::size_t k = 0; k < best_.finding.setup.flags.size();) {
      Setup setup = best_.finding.setup;
      setup.flags.erase(setup.flags.begin() + static_cast<std::ptrdiff_t>(k));
      if (!keeps(best_.program, setup)) ++k;
    }
    drop_each([](Program& program) -> auto& { return program.facts; });
    drop_each([](Program& program) -> auto& { return program.schedule; });
    drop_each([](Program& program) -> auto& { return program.expect; });
  }

  template <class List>
  void drop_each(const List& list) {
    for (std::size_t k = 0; k < list(best_.program).size() && !over();) {
      Program smaller = best_.program;
      list(smaller).erase(list(smaller).begin() + static_cast<std::ptrdiff_t>(k));
      if (!keeps(smaller)) ++k;
    }
  }

  /// By a constant, by a part of it of the same type, by its plainest form.
  void replace_nodes() {
    for (std::size_t k = 0; !over(); ++k) {
      Program whole = best_.program;
      std::vector<Node*> nodes = nodes_of(whole);
      if (k >= nodes.size()) return;
      const Node original = *nodes[k];
      if (!original.is_value) {
        // A subscript with its mode becomes the subscript, a guarded list of binders the list.
        if (original.pieces.size() == 2 && original.kids.size() == 1) {
          const std::string& front = original.pieces[0];
          if (front.empty()) *nodes[k] = original.kids[0];
          else if (front.ends_with(" if ")) *nodes[k] = leaf(front.substr(0, front.size() - 4), {}), nodes[k]->is_value = false;
          else continue;
          keeps(whole);
        }
        continue;
      }
      for (const Node& smaller : replacements(original)) {
        *nodes[k] = smaller;
        if (keeps(whole)) break;
      }
    }
  }

  /// A left index of a tensor, everywhere: its axis goes, and 0 stands where it was used.
  void drop_axes() {
    std::vector<std::string> names;
    for (const auto* list : {&best_.program.outputs, &best_.program.inputs, &best_.program.inouts})
      for (const Tensor& tensor : *list)
        if (!tensor.shape.empty()) names.push_back(tensor.name);
    for (const auto& [block, at] : statements(best_.program))
      for (const std::string& name : (*block)[at].defines) names.push_back(name);
    for (const std::string& name : names) {
      for (std::size_t axis = 0; axis < 6 && !over();) {
        Program smaller = best_.program;
        if (!drop_axis(smaller, name, axis)) break;
        if (!keeps(smaller)) ++axis;
      }
    }
  }

  void lower_sizes() {
    for (const auto& [name, value] : std::map<std::string, int64_t>(best_.finding.setup.sizes)) {
      for (int64_t smaller : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 48, 64, 65, 100, 128}) {
        if (smaller >= value) break;
        Setup setup = best_.finding.setup;
        setup.sizes[name] = smaller;
        if (keeps(best_.program, setup)) break;
      }
    }
  }

  /// Extents that are expressions become plain sizes, and one size takes the place of another.
  void lower_extents() {
    const auto replaced = [&](const Extent& from, const Extent& to) {
      Program smaller = best_.program;
      for (auto* list : {&smaller.outputs, &smaller.inputs, &smaller.inouts})
        for (Tensor& tensor : *list)
          for (Extent& extent : tensor.shape)
            if (extent == from) extent = to;
      const std::string old = smaller.extent_text(from), now = smaller.extent_text(to);
      for (const auto& [block, at] : statements(smaller)) replace_word((*block)[at].head, old, now);
      return keeps(smaller);
    };
    std::vector<Extent> seen;
    for (const auto* list : {&best_.program.outputs, &best_.program.inputs, &best_.program.inouts})
      for (const Tensor& tensor : *list)
        for (const Extent& extent : tensor.shape)
          if (std::find(seen.begin(), seen.end(), extent) == seen.end()) seen.push_back(extent);
    for (const Extent& extent : seen) {
      if (extent.size < 0) {
        for (int64_t smaller : {1, 2, 3, 4, 8, 16})
          if (smaller < extent.b && replaced(extent, {-1, 1, smaller, 1})) break;
      } else if (!(extent == Extent{extent.size, 1, 0, 1})) {
        replaced(extent, {extent.size, 1, 0, 1});
      }
    }
  }

  void plain_declarations() {
    for (int list = 0; list < 2; ++list) {
      for (std::size_t k = 0; k < (list == 0 ? best_.program.inputs : best_.program.outputs).size(); ++k) {
        Program smaller = best_.program;
        Tensor& tensor = (list == 0 ? smaller.inputs : smaller.outputs)[k];
        if ((tensor.suffix.empty() || tensor.suffix == "[]") && tensor.may_be_one.empty()) continue;
        tensor.suffix = "";
        tensor.may_be_one.clear();
        keeps(smaller);
      }
    }
  }

  Shrunk best_;
  CheckOptions options_;
  const Fault& fault_;
  std::string signature_;
  Clock::time_point end_;
};

}  // namespace

Shrunk shrink(const Program& program, const Finding& finding, const CheckOptions& options, double seconds, const Fault& fault) {
  return Shrinker(program, finding, options, seconds, fault).run();
}

}  // namespace cdsl::random
