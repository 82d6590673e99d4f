// Questions about the variants of a Plan, and the guards that are asked for most.
#pragma once

#include <functional>
#include <vector>

#include "dsl/plan/plan.h"

namespace cdsl::plan {

/// Every launch of `steps`, those inside loops too, in order.
void for_each_launch(const std::vector<Step>& steps,
                     const std::function<void(const Launch&)>& visit);

/// By buffer of the plan: do steps of `variant` name it?
std::vector<bool> used_buffers(const Plan& plan, const Variant& variant);

/// Do all variants use the same workspace?
bool share_workspace(const Plan& plan);

/// The buffers of these parameters do not overlap; of all parameters where `tensors` is empty.
NoAlias no_alias(const Plan& plan, const std::vector<TensorId>& tensors);

/// The facts of `function` that are no requirements, as guards: of this kind, or all of them.
/// `plan` is one of the function's own, in which its ids mean the same.
std::vector<Guard> guards_of(const tir::Function& function, const Plan& plan, tir::Fact::Kind kind);
std::vector<Guard> guards_of(const tir::Function& function, const Plan& plan);

/// Parameters and workspace have at most `limit` bytes each: with 2^31 - 1, every index fits 32
/// bits. Extends `arena`, whose ids are those of the plan's buffers.
Guard no_larger_than(ExprArena& arena, const std::vector<Buffer>& buffers, int64_t limit);

/// The address of every parameter's buffer is a multiple of `bytes`.
std::vector<Guard> all_aligned(const std::vector<Buffer>& buffers, int64_t bytes);

}  // namespace cdsl::plan
