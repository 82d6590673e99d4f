#include "frontend/sema/scope.h"

#include <algorithm>

namespace cdsl::sema {

void Scopes::enter_alone() {
  frames_.push_back({{}, true, floor_});
  floor_ = frames_.size();
}

void Scopes::leave() {
  for (const std::string& name : frames_.back().names) {
    const auto found = bindings_.find(name);
    found->second.pop_back();
    if (found->second.empty()) bindings_.erase(found);
  }
  if (frames_.back().is_alone) floor_ = frames_.back().outer_floor;
  frames_.pop_back();
}

const Entity* Scopes::find(std::string_view name) const {
  const auto found = bindings_.find(name);
  if (found == bindings_.end()) return nullptr;
  const Binding& innermost = found->second.back();
  return innermost.depth >= floor_ ? &innermost.entity : nullptr;
}

void Scopes::declare(const std::string& name, Entity entity) {
  entity.order = order_++;
  frames_.back().names.push_back(name);
  bindings_[name].push_back({frames_.size(), std::move(entity)});
}

std::vector<std::string_view> Scopes::visible_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, bindings] : bindings_) {
    if (bindings.back().depth >= floor_) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cdsl::sema
