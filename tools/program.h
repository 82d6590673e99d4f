// The whole program behind main: command, options, and the last line of defence against bugs.
#pragma once

namespace cdsl::tools {

int run_program(int argc, char** argv);

}  // namespace cdsl::tools
