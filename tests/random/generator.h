// From a 64-bit seed to a program that is valid by construction, over the whole language (docs/language.md).
//
// Every construct is a function in the file of its kind; `weights.cpp` says how often each is tried. An expression that is asked
// for always has a type of its own (never a bare literal), so that nothing has to be guessed from where it stands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/random/program.h"
#include "tests/random/rng.h"

namespace cdsl::random {

struct Index {
  std::string name;
  Extent within;  // its values lie in 0..within
  bool bare = false;  // some read has had it alone as a subscript of an axis of that extent
};

/// What an expression may use where it stands.
struct Scope {
  std::vector<Index> indices;
  std::vector<Node> values;                  // lets, parameters of a def, scalars, parts of an accumulator
  std::optional<ScalarType> storage;         // the one storage type that is read without a cast
  std::vector<Statement>* lets = nullptr;    // where a `let` may be put; nullptr inside reductions
  int reductions = 0;                        // that enclose it
  bool reads = true;                         // tensors are visible
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) {}
  Program make();

  // Statements: maps.cpp, products.cpp, rows.cpp, scatters.cpp, loops.cpp, nested.cpp, records.cpp, functions.cpp, states.cpp.
  void pointwise();
  void reduce_rows();
  void reduce_all();
  void product();
  void convolution();
  void stencil();
  void permute();
  void scan();
  void softmax();
  void all_pairs();
  void arguments();      // argmin, argmax with value and place
  void user_reducer();
  void segments();       // ranges that data gives
  void pieces();         // several definitions of one tensor
  void overwrite();      // an inout, in part
  void gather();
  void histogram();
  void scatter();
  void scatter_unique();
  void records();
  void record_update();
  /// Declares a struct; records nest up to `depth` deep.
  std::vector<Member> record(const std::string& structure, int depth);
  Tensor record_tensor(const std::string& stem);
  void repeat();
  void along();
  void call_function();
  void call_generic();
  void call_in_place();
  void snapshot();       // a let that sees what is overwritten after it
  void repeat_in_repeat();
  void along_in_repeat();
  void along_in_along();
  void repeat_in_along();

  // Expressions by family of type: expressions.cpp.
  Node expression(Scope& scope, Type type, int depth);
  Node read_or_leaf(Scope& scope, Type type);
  Node condition(Scope& scope, int depth) { return expression(scope, {ScalarType::Bool}, depth); }
  Node float_operation(Scope& scope, Type type, int depth);
  Node integer_operation(Scope& scope, Type type, int depth);
  Node bool_operation(Scope& scope, int depth);
  Node complex_operation(Scope& scope, Type type, int depth);
  Node index_operation(Scope& scope, int depth);
  Node conversion(Scope& scope, Type type, int depth);
  Node choice(Scope& scope, Type type, int depth);
  Node sum_or_product(Type type, Node left, Node right) {
    const bool sum = rng_.chance(50);
    return binary(type, sum ? kAdd : kMultiply, sum ? "+" : "*", std::move(left), std::move(right));
  }
  Node literal(Type type);
  Node literal_or(Scope& scope, Type type, int depth);
  std::optional<Node> let(Scope& scope, Type type, int depth);
  std::optional<Node> def_call(Scope& scope, Type type, int depth);

  // Reads: reads.cpp.
  std::optional<Node> read(Scope& scope, Type type);
  std::optional<Node> guarded_read(Scope& scope, Type type);
  Node read_of(Scope& scope, const Tensor& tensor, const Field* field);
  Node subscript(Scope& scope, const Extent& extent, ScalarType element, bool is_record);
  Node moded(Scope& scope, ScalarType element, bool is_record);
  std::optional<Node> gathered(Scope& scope);

  // Reductions: reductions.cpp.
  std::optional<Node> reduction(Scope& scope, Type type, int depth);
  Node reduce_over(Scope& scope, const std::string& op, Type result, Type term, std::vector<Index> binders, int depth);
  Node binder_list(Scope& inner, std::vector<Index>& binders, std::size_t first, bool may_guard, int depth);

  // Names, types, shapes, tensors: shapes.cpp.
  ScalarType element_type();
  ScalarType float_type() { return rng_.of({ScalarType::F32, ScalarType::F32, ScalarType::F16, ScalarType::BF16, ScalarType::F64}); }
  Extent extent();
  std::vector<Extent> shape(int least, int most);
  std::string fresh(const std::string& stem);
  Tensor input(ScalarType type, std::vector<Extent> shape);
  Tensor output(ScalarType type, std::vector<Extent> shape);
  std::vector<Index> left_indices(const std::vector<Extent>& shape);
  Scope scope_of(const std::vector<Index>& indices);
  std::string condition_text(Scope& scope, int depth);
  Node store(ScalarType type, Node value);
  Node value_for(Scope& scope, ScalarType type, int depth);
  /// A tensor of evaluation or storage type, defined over all its elements by `value`: an output, a tmp or an intermediate.
  void define(ScalarType type, const std::vector<Index>& indices, Scope& scope, Node value);
  void define_as(const Tensor& tensor, const std::vector<Index>& indices, Node value);
  /// `head { body }`; what the body makes lives for one step, but for inputs.
  void loop(const std::string& head, const std::string& defines, const std::function<void()>& body);
  void declare_tmp(const Tensor& tensor);
  Statement statement(std::string head_left, Node value, std::vector<std::string> defines);
  void emit(Statement statement) { block_->push_back(std::move(statement)); }
  void used(const std::string& construct) { program_.constructs.insert(construct); }
  int depth() { return rng_.of({1, 1, 2, 2, 3, 4}); }

  // What the compiler is told: schedules.cpp.
  void schedule();
  void expectations();
  std::string directive(const std::string& tensor, const std::vector<std::string>& indices);
  void remember(const std::string& tensor, const std::vector<Index>& indices, const Node& value);

  struct Production {
    const char* name;
    void (Generator::*make)();
    int weight;
  };
  static const std::vector<Production>& statements();

 private:
  Rng rng_;
  Program program_;
  std::vector<Statement>* block_ = &program_.body;
  std::vector<Tensor> visible_;   // what may be read now
  std::vector<Extent> extents_;   // shapes are drawn from those
  std::vector<Item> defs_;        // def name(a, b) of f32, i32
  std::vector<ScalarType> types_; // of this program
  std::map<std::string, int> names_;
  std::vector<Index> loop_indices_;
  std::vector<std::pair<std::string, std::vector<std::string>>> defined_;  // names with the indices of their statement
  std::vector<std::string> loops_;  // indices of repeat and along
  bool in_loop_ = false;          // what is defined lives for one step
};

}  // namespace cdsl::random
