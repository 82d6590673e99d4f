// Writes one kernel of tile form as lane form, statement by statement. Pointwise statements have their rules here
// (lane_writer.cpp, pointwise.cpp, vector_access.cpp); collectives in files of their own.
#pragma once

#include "passes/lower/tiles/collective.h"
#include "passes/lower/tiles/lane_scope.h"

namespace cdsl::lowering {

class LaneWriter {
 public:
  LaneWriter(loop::Program& program, const loop::Kernel& kernel);
  /// The kernel in lane form.
  loop::Kernel run();

 private:
  // lane_writer.cpp
  void block(const loop::Block& block, RegisterPoint& point);
  std::unique_ptr<loop::Block> nested(const loop::Block& block, RegisterPoint& point);
  std::unique_ptr<loop::Block> loop_body(const loop::Block& block, RegisterPoint& point);
  void statement(const loop::Statement& statement, RegisterPoint& point);
  void collective(const loop::Statement& statement);
  void control(const loop::Statement& statement, RegisterPoint& point);
  /// By one of the threads that hold the same point, if it is an effect.
  void once(const loop::Statement& statement, const std::function<void()>& body);
  bool is_shared_effect(const loop::Statement& statement) const;
  /// The statement with its expressions at a point; what it defines stays.
  void copy(const loop::Statement& statement, const RegisterPoint& point);

  // pointwise.cpp
  void group(const Group& group, RegisterPoint& point);
  void units(const Phase& phase, const Group& group, RegisterPoint& point);
  bool definition(const loop::Statement& statement, const RegisterPoint& point);
  void assign(const loop::Assign& assign, const RegisterPoint& point);
  void defined_by(const loop::Statement& statement, const RegisterPoint& point);

  // vector_access.cpp
  ExprId width_of(const Unit& unit, const RegisterLoop& vector);
  ExprId holds_for_run(const Unit& unit, ExprId guard, const RegisterLoop& vector, int64_t start, RegisterPoint& point);
  void each_run(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point, const std::function<void(int64_t)>& body);
  void each_value(const Unit& unit, const RegisterLoop& vector, int64_t start, RegisterPoint& point,
                  const std::function<void(ExprId)>& body);
  void vector_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point);
  void window_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point);
  void vector_store(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point);

  LaneScope scope_;
  loop::Builder& builder_;
  MeetingPlaces places_;
  std::vector<const loop::Block*> loops_around_;        // bodies of For and While
};

}  // namespace cdsl::lowering
