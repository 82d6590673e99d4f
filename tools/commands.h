// The commands of cuoptc, one a row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/options.h"
#include "tools/session.h"

namespace cdsl::tools {

struct Command {
  std::string_view name;  // "" is what happens without a command
  unsigned bit;
  std::string_view usage;
  std::string_view summary;
  int (*run)(Session& session);
};

std::span<const Command> all_commands();
/// Null where there is none of that name.
const Command* find_command(std::string_view name);
/// "'cuoptc run' and 'cuoptc verify'"
std::string commands_of(unsigned bits);

int compile_command(Session& session);
int check_command(Session& session);
int run_command(Session& session);
int verify_command(Session& session);
int bench_command(Session& session);
int inspect_command(Session& session);
int explain_command(Session& session);
int cache_command(Session& session);
int library_command(Session& session);
int doctor_command(Session& session);
int explain_error_command(Session& session);

}  // namespace cdsl::tools
