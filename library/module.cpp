// Runtimes and modules of the C interface.

#include <span>

#include "library/handles.h"
#include "api/jit/failure.h"

namespace cdsl::c {
namespace {

using jit::JitFailure;

std::shared_ptr<jit::JitRuntime> make_runtime(const cdsl_runtime_options* options) {
  jit::JitRuntime::Options made;
  if (options != nullptr && options->device != nullptr) {
    const std::string device = options->device;
    if (device != "cuda" && device != "sim") throw JitFailure(CDSL_ERROR_ARGUMENT, "device is \"cuda\" or \"sim\", not \"" + device + "\"");
    made.simulated = device == "sim";
  }
  if (options != nullptr && options->cache_folder != nullptr) made.cache_folder = options->cache_folder;
  return std::make_shared<jit::JitRuntime>(made);
}

template <class Visit>
void each(const char* const* texts, std::size_t count, const char* what, const Visit& visit) {
  if (count > 0) require(texts, what);
  for (const char* text : std::span(texts, count)) {
    require(text, what);
    visit(std::string(text));
  }
}

void add_setting(CompileOptions& options, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw JitFailure(CDSL_ERROR_ARGUMENT, "a setting is KEY=VALUE, not '" + text + "'");
  options.overrides[text.substr(0, equals)] = text.substr(equals + 1);
}

std::shared_ptr<jit::JitModule> make_module(cdsl_runtime* runtime, SourceInput input, const cdsl_module_options* given) {
  require(runtime, "the runtime");
  CompileOptions options;
  options.architecture.clear();
  const cdsl_module_options none{}, &from = given != nullptr ? *given : none;
  if (from.architecture != nullptr) options.architecture = from.architecture;
  if (!options.architecture.empty()) {
    const Architecture* found = find_architecture(options.architecture);
    if (found == nullptr || !found->can_emit)
      throw JitFailure(CDSL_ERROR_ARGUMENT, "'" + options.architecture + "' is no architecture that kernels can be made for");
    options.architecture = found->name;
  }
  if (from.strict != 0 && from.fast_math != 0) throw JitFailure(CDSL_ERROR_ARGUMENT, "strict and fast_math exclude each other");
  options.strict = from.strict != 0;
  options.fast_math = from.fast_math != 0;
  options.decide = from.general_only == 0;
  options.simplify = from.general_only == 0;
  each(from.defines, from.define_count, "a define", [&](const std::string& text) {
    if (const auto failure = add_define(options.defines, text)) throw JitFailure(CDSL_ERROR_ARGUMENT, failure->message);
  });
  each(from.settings, from.setting_count, "a setting", [&](const std::string& text) { add_setting(options, text); });
  each(from.import_folders, from.import_folder_count, "a folder", [&](const std::string& text) { input.import_directories.push_back(text); });
  return std::make_shared<jit::JitModule>(runtime->it, std::move(input), std::move(options), from.open_sizes != 0);
}

}  // namespace
}  // namespace cdsl::c

using cdsl::c::guarded;
using cdsl::c::require;

extern "C" {

cdsl_status cdsl_runtime_create(const cdsl_runtime_options* options, cdsl_runtime** out) {
  return guarded([&] {
    require(out, "where the runtime goes");
    *out = nullptr;
    *out = new cdsl_runtime{cdsl::c::make_runtime(options)};
  });
}

void cdsl_runtime_destroy(cdsl_runtime* runtime) { delete runtime; }

cdsl_status cdsl_synchronize(cdsl_runtime* runtime, void* stream) {
  return guarded([&] {
    require(runtime, "the runtime");
    runtime->it->synchronize(stream);
  });
}

cdsl_status cdsl_module_load(cdsl_runtime* runtime, const char* path, const cdsl_module_options* options, cdsl_module** out) {
  return guarded([&] {
    require(out, "where the module goes");
    *out = nullptr;
    require(path, "the path");
    cdsl::SourceInput input;
    input.path = path;
    *out = new cdsl_module{cdsl::c::make_module(runtime, std::move(input), options)};
  });
}

cdsl_status cdsl_module_parse(cdsl_runtime* runtime, const char* text, const char* name, const cdsl_module_options* options, cdsl_module** out) {
  return guarded([&] {
    require(out, "where the module goes");
    *out = nullptr;
    require(text, "the text");
    cdsl::SourceInput input;
    input.path = name != nullptr ? name : "<text>";
    input.text = text;
    *out = new cdsl_module{cdsl::c::make_module(runtime, std::move(input), options)};
  });
}

void cdsl_module_destroy(cdsl_module* module) { delete module; }

const char* cdsl_module_function(const cdsl_module* module, size_t index) {
  return module == nullptr || index >= module->it->functions().size() ? nullptr : module->it->functions()[index].c_str();
}

}  // extern "C"
