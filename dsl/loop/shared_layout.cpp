#include "dsl/loop/shared_layout.h"

#include <algorithm>

#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

constexpr int64_t kLeast = 16, kBox = 128, kSwizzleRows = 8;

class Alignments {
 public:
  explicit Alignments(const Program& program)
      : program_(program), least_(program.buffers.size(), kLeast) {}

  void visit(const Statement& statement) {
    if (const auto* copy = std::get_if<CopyTensor>(&statement.node)) {
      const int swizzle = copy->map < program_.maps.size() ? program_.maps[copy->map].swizzle : 0;
      need(copy->shared.buffer, std::max(kBox, kSwizzleRows * swizzle));
    }
    if (const auto* mma = std::get_if<MatrixAsync>(&statement.node)) {
      for (const SharedMatrix* matrix : {&mma->a, &mma->b}) {
        if (matrix->start.buffer.valid())
          need(matrix->start.buffer, std::max(kBox, kSwizzleRows * matrix->swizzle));
      }
    }
  }

  int64_t of(BufferId id) const {
    return std::max(least_[id.index()], program_.buffer(id).element.alignment);
  }

 private:
  void need(BufferId id, int64_t bytes) {
    least_[id.index()] = std::max(least_[id.index()], bytes);
  }

  const Program& program_;
  std::vector<int64_t> least_;  // by buffer
};

}  // namespace

SharedLayout shared_layout(const Program& program, const Kernel& kernel) {
  Alignments alignments(program);
  for_each_statement(kernel.body, [&](const Statement& statement) { alignments.visit(statement); });
  SharedLayout layout;
  for (const BufferId id : kernel.buffers) {
    if (program.buffer(id).space == Space::Shared)
      layout.buffers.push_back({id, 0, alignments.of(id)});
  }
  std::vector<SharedBuffer*> order;
  for (SharedBuffer& buffer : layout.buffers) order.push_back(&buffer);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->alignment > b->alignment; });
  for (SharedBuffer* place : order) {
    const Buffer& buffer = program.buffer(place->buffer);
    place->offset = (layout.bytes + place->alignment - 1) / place->alignment * place->alignment;
    layout.bytes = place->offset + buffer.count * buffer.element.size;
  }
  layout.bytes = (layout.bytes + kLeast - 1) / kLeast * kLeast;
  return layout;
}

}  // namespace cdsl::loop
