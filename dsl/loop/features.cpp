#include "dsl/loop/features.h"

#include <charconv>

#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

/// A need: an instruction, the least compute capability (times 10), and whether the very
/// architecture ("a") is asked for.
struct Need {
  const char* what = nullptr;
  int least = 0;
  bool specific = false;
  bool hopper_only = false;
};

Need need_of(const MatrixMultiply& n, ScalarType a) {
  if (a == ScalarType::F8E4M3 || a == ScalarType::F8E5M2) return {"mma.sync of f8", 89};
  return {"mma.sync of this shape", a == ScalarType::F16 && n.shape.k == 8 ? 75 : 80};
}

struct NeedOf {
  const Program& program;

  template <class Node>
  Need operator()(const Node& n) const {
    if constexpr (std::is_same_v<Node, CopyAsync> || std::is_same_v<Node, CopyCommit> ||
                  std::is_same_v<Node, CopyWait>) {
      if constexpr (!std::is_same_v<Node, CopyAsync>) {
        if (n.batch == CopyBatch::Bulk) return {"bulk copies", 90};
      }
      return {"cp.async", 80};
    } else if constexpr (std::is_same_v<Node, BarrierInit> || std::is_same_v<Node, BarrierArrive> ||
                         std::is_same_v<Node, BarrierWait>) {
      return {"arrival barriers with byte counts", 90};
    } else if constexpr (std::is_same_v<Node, CopyBulk> || std::is_same_v<Node, CopyTensor>) {
      return {"bulk copies", 90};
    } else if constexpr (std::is_same_v<Node, FenceAsync>) {
      return {"fence.proxy.async", 90};
    } else if constexpr (std::is_same_v<Node, MatrixLoad>) {
      return {"ldmatrix", 75};
    } else if constexpr (std::is_same_v<Node, MatrixStore>) {
      return {"stmatrix", 90};
    } else if constexpr (std::is_same_v<Node, MatrixMultiply>) {
      return need_of(n, program.buffer(n.a.buffer).element.leaves[0].type);
    } else if constexpr (std::is_same_v<Node, MatrixAsync> || std::is_same_v<Node, MatrixBatch>) {
      return {"wgmma", 90, true, true};
    } else if constexpr (std::is_same_v<Node, RegisterBudget>) {
      return {"setmaxnreg", 90, true};
    } else if constexpr (std::is_same_v<Node, Elect>) {
      return {"elect.sync", 90};
    } else {
      return {};
    }
  }
};

int capability_of(std::string_view architecture) {
  const std::size_t digits = architecture.find_first_of("0123456789");
  int value = 0;
  if (digits != std::string_view::npos)
    std::from_chars(architecture.data() + digits, architecture.data() + architecture.size(), value);
  return value;
}

}  // namespace

std::string missing_feature(const Program& program, const Kernel& kernel,
                            std::string_view architecture) {
  const int capability = capability_of(architecture);
  const bool specific = architecture.ends_with("a");
  std::string missing;
  const auto check = [&](const Need& need) {
    if (need.what == nullptr || !missing.empty()) return;
    const bool good = capability >= need.least && (specific || !need.specific) &&
                      (capability < 100 || !need.hopper_only);
    if (good) return;
    missing = std::string(need.what) + ", which needs sm_" + std::to_string(need.least) +
              (need.specific ? "a" : "") + (need.hopper_only || need.specific ? "" : " or newer") +
              " and " + std::string(architecture) + " lacks";
  };
  if (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 1) check({"clusters", 90});
  for_each_statement(kernel.body, [&](const Statement& statement) {
    check(std::visit(NeedOf{program}, statement.node));
  });
  return missing;
}

}  // namespace cdsl::loop
