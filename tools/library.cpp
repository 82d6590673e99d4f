#include "codegen/library.h"
#include "codegen/reserved.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "api/toolkit.h"
#include "passes/decide/layout_choice.h"
#include "tools/commands.h"
#include "tools/depfile.h"
#include "tools/embedded_text.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

/// One program, compiled for one architecture.
struct Program {
  std::string path;
  std::unique_ptr<Source> source;
  std::vector<Compiled> units;
};

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

class Maker {
 public:
  Maker(Session& session, std::string name) : session_(session) {
    options_.name = std::move(name);
    options_.header = std::filesystem::path(session.settings.output).filename().string();
    options_.version = kVersion;
    options_.spell_layout = deciding::spelled;
  }

  int run() {
    std::string header, source;
    const std::vector<std::string> architectures = closest_first();
    for (const std::string& architecture : architectures) {
      compile_options().architecture = architecture;
      if (const int status = compile_all()) return status;
      const std::string shown = library_header(units(), cuda(), options_);
      if (header.empty()) header = shown;
      if (shown != header) {
        session_.error(fmt::format("the parameters are laid out in one way for {} and in another for {}: write the layout of records in the program",
                                   architectures[0], architecture));
        return kSourceError;
      }
      if (session_.settings.embed_text) break;
      if (const int status = add_image()) return status;
    }
    source = session_.settings.embed_text ? embedded_source(embedded(), cuda(), options_) : library_source(units(), images_, options_);
    return write(header, source);
  }

 private:
  /// What a device takes the first of that it can run: sm_90a, sm_90, sm_86, sm_80.
  std::vector<std::string> closest_first() const {
    std::vector<std::string> list = session_.settings.architectures;
    if (list.size() <= 1) return {session_.settings.compile.architecture};
    const auto number = [](const std::string& name) { return std::stoi(name.substr(3)); };
    std::sort(list.begin(), list.end(), [&](const std::string& a, const std::string& b) {
      return std::pair(number(a), a.size()) > std::pair(number(b), b.size());
    });
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  CompileOptions& compile_options() { return session_.settings.compile; }

  CudaOptions cuda() {
    CudaOptions cuda;
    cuda.architecture = compile_options().architecture;
    cuda.line_directives = false;
    cuda.strict = compile_options().strict;
    return cuda;
  }

  int compile_all() {
    programs_.clear();
    std::vector<std::string> names;
    for (const std::string& path : session_.settings.positional) {
      Source& source = session_.load(path);
      auto units = compile_units(session_, source);
      if (!units) return kSourceError;
      for (const Compiled& unit : *units) {
        if (std::find(names.begin(), names.end(), unit.function.name) != names.end()) {
          session_.error(fmt::format("{}: a library has one '{}', but an earlier file has it too", path, unit.function.name));
          return kSourceError;
        }
        names.push_back(unit.function.name);
        if (const std::string problem = why_not(unit.function); !problem.empty()) {
          session_.error_at(source, Code::LaunchCheck, unit.function.where, problem);
          return kSourceError;
        }
      }
      programs_.push_back({path, session_.take_source(), std::move(*units)});
    }
    for (const std::string& name : names) {
      if (std::find(names.begin(), names.end(), name + "_args") == names.end()) continue;
      session_.error(fmt::format("a library with '{0}' cannot have '{0}_args', which is the type of its arguments: rename one", name));
      return kSourceError;
    }
    return kOk;
  }

  /// What its typed function could not take.
  static std::string why_not(const tir::Function& function) {
    for (const tir::ScalarParameter& scalar : function.scalars) {
      if (is_complex(scalar.declared)) {
        return fmt::format("a library passes no complex scalars by value: declare {0}: {1}[] to read it from device memory",
                           function.arena.symbol(scalar.symbol).name, name_of(scalar.declared));
      }
    }
    return {};
  }

  std::vector<CudaUnit> units_of(const Program& program) const {
    std::vector<CudaUnit> list;
    const Source* source = program.source.get();
    for (const Compiled& unit : program.units)
      list.push_back({unit.function, unit.program, unit.remarks, [source](SourceRange where) { return source->locate(where); }});
    return list;
  }
  std::vector<CudaUnit> units() const {
    std::vector<CudaUnit> list;
    for (const Program& program : programs_) {
      for (CudaUnit& unit : units_of(program)) list.push_back(std::move(unit));
    }
    return list;
  }

  int add_image() {
    const std::string text = library_kernels(units(), cuda());
    MachineCode code = compile_text(session_.environment, text, options_.name + ".cu", compile_options(), session_.cache());
    if (!code.toolkit) {
      session_.error(code.problem + "; a library of machine code needs it, one of text (--jit) does not");
      return kNoDevice;
    }
    if (!code.result.ok) {
      session_.error(fmt::format("NVRTC rejects the emitted text: {}\n{}", code.result.error, code.result.log));
      return kInternal;
    }
    LibraryImage image = library_image(units(), cuda(), options_);
    image.code = std::move(code.result.cubin);
    images_.push_back(std::move(image));
    return kOk;
  }

  /// Those that mean something to one of its functions: the others would be mistakes.
  std::vector<std::string> defines_of(const Program& program) {
    std::set<std::string> names;
    for (const Compiled& unit : program.units) {
      const tir::Function& function = unit.function;
      for (const tir::Size& size : function.sizes) names.insert(function.arena.symbol(size.symbol).name);
      for (const tir::ScalarParameter& scalar : function.scalars) names.insert(function.arena.symbol(scalar.symbol).name);
      for (const std::string& type : type_parameters(*program.source, function.name)) names.insert(type);
    }
    std::vector<std::string> list;
    const Defines& all = compile_options().defines;
    const auto add = [&](const std::string& name, const std::string& value) {
      if (names.contains(name)) list.push_back(name + "=" + value);
    };
    for (const auto& [name, value] : all.sizes) add(name, std::to_string(value));
    for (const auto& [name, type] : all.types) add(name, std::string(name_of(type)));
    for (const auto& [name, value] : all.values) add(name, value);
    return list;
  }

  std::vector<EmbeddedProgram> embedded() {
    std::vector<EmbeddedProgram> list;
    const CompileOptions& options = compile_options();
    for (const Program& program : programs_) {
      EmbeddedProgram one{embedded_text(*program.source), program.path, units_of(program), {}, {}, options.strict, options.fast_math};
      one.defines = defines_of(program);
      for (const auto& [key, value] : options.overrides) one.settings.push_back(key + "=" + value);
      list.push_back(std::move(one));
    }
    return list;
  }

  int write(const std::string& header, const std::string& source) {
    const std::filesystem::path output = session_.settings.output;
    const std::string beside = std::filesystem::path(output).replace_extension(".cpp").string();
    if (!session_.write(output.string(), header) || !session_.write(beside, source)) return kUsage;
    if (!session_.settings.depfile) return kOk;
    std::vector<const Source*> sources;
    for (const Program& program : programs_) sources.push_back(program.source.get());
    return write_depfile(session_, {output.string(), beside}, sources) ? kOk : kUsage;
  }

  Session& session_;
  LibraryOptions options_;
  std::vector<Program> programs_;
  std::vector<LibraryImage> images_;
};

}  // namespace

int library_command(Session& session) {
  const Settings& settings = session.settings;
  if (settings.positional.empty()) return session.usage_error("no input: cuoptc library FILES -o NAME.h");
  const std::filesystem::path output = settings.output;
  if (settings.output.empty() || settings.output == "-" || output.extension() == ".cpp")
    return session.usage_error("a library is two files: -o NAME.h names the header, and NAME.cpp is written beside it");
  const std::string name = settings.library_name.empty() ? output.stem().string() : settings.library_name;
  const auto& architectures = settings.architectures;
  if (architectures.size() > 1 && std::find(architectures.begin(), architectures.end(), "native") != architectures.end())
    return session.usage_error("--arch=native stands alone: it is one of the others, or not");
  if (!is_identifier(name) || cuda::is_reserved_word(name)) return session.usage_error(fmt::format("'{}' is no name of a namespace: give one with --name", name));
  return Maker(session, name).run();
}

}  // namespace cdsl::tools
