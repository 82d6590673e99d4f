// The asynchronous and matrix statements of lane form as text (docs/ir.md, section 2.9).
#pragma once

#include <string>

#include "dsl/expr/print.h"
#include "dsl/loop/program.h"

namespace cdsl::loop {

/// `x[i].pos[2] at rank`
std::string place_text(const Program& program, const Access& access, const ExprNames& names);

/// Whole lines. Elect is `let e: bool = elect warp;`.
std::string to_text(const BarrierInit& n, const Program& program, const ExprNames& names);
std::string to_text(const BarrierArrive& n, const Program& program, const ExprNames& names);
std::string to_text(const BarrierWait& n, const Program& program, const ExprNames& names);
std::string to_text(const CopyAsync& n, const Program& program, const ExprNames& names);
std::string to_text(const CopyCommit& n, const Program& program, const ExprNames& names);
std::string to_text(const CopyWait& n, const Program& program, const ExprNames& names);
std::string to_text(const CopyBulk& n, const Program& program, const ExprNames& names);
std::string to_text(const CopyTensor& n, const Program& program, const ExprNames& names);
std::string to_text(const FenceAsync& n, const Program& program, const ExprNames& names);
std::string to_text(const MatrixLoad& n, const Program& program, const ExprNames& names);
std::string to_text(const MatrixStore& n, const Program& program, const ExprNames& names);
std::string to_text(const MatrixMultiply& n, const Program& program, const ExprNames& names);
std::string to_text(const MatrixAsync& n, const Program& program, const ExprNames& names);
std::string to_text(const MatrixBatch& n, const Program& program, const ExprNames& names);
std::string to_text(const NamedBarrier& n, const Program& program, const ExprNames& names);
std::string to_text(const Elect& n, const Program& program, const ExprNames& names);
std::string to_text(const RegisterBudget& n, const Program& program, const ExprNames& names);

}  // namespace cdsl::loop
