// What the sources that `cuoptc library --jit` writes stand on: a program embedded as text, compiled by libcdsl when it is first
// called. Programs include the header that was written beside the source, never this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cdsl/cdsl.hpp"

namespace cdsl::embedded {

/// What extents are computed with.
template <class T>
constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T>
constexpr T max(T a, T b) { return a < b ? b : a; }

/// One program and the runtime that it is compiled in. Thread-safe.
class Program {
 public:
  using Kernel = detail::Owned<cdsl_kernel, cdsl_kernel_destroy>;

  Program(const char* text, const char* name, ModuleOptions options) : text_(text), name_(name), options_(std::move(options)) {}

  /// Makes the runtime for "cuda" or "sim". Once a process; the first call of a function makes it for "cuda".
  void open(const char* device) {
    const std::lock_guard lock(mutex_);
    open_locked(device);
  }

  cdsl_kernel* kernel(const std::string& function) {
    const std::lock_guard lock(mutex_);
    open_locked(nullptr);
    Kernel& found = kernels_[function];
    if (!found) {
      cdsl_kernel* made = nullptr;
      detail::check(cdsl_module_kernel(module_.get(), function.c_str(), &made));
      found.reset(made);
    }
    return found.get();
  }

  void synchronize(void* stream) {
    {
      const std::lock_guard lock(mutex_);
      open_locked(nullptr);
    }
    detail::check(cdsl_synchronize(runtime_.get(), stream));
  }

 private:
  void open_locked(const char* device) {
    if (module_) {
      if (device != nullptr && device_ != device) refuse(name_ + " is open on \"" + device_ + "\" already");
      return;
    }
    const std::string wanted = device != nullptr ? device : "cuda";
    const cdsl_runtime_options runtime_options{wanted.c_str(), nullptr};
    cdsl_runtime* runtime = nullptr;
    detail::check(cdsl_runtime_create(&runtime_options, &runtime));
    runtime_.reset(runtime);
    std::vector<const char*> defines, settings;
    for (const std::string& text : options_.defines) defines.push_back(text.c_str());
    for (const std::string& text : options_.settings) settings.push_back(text.c_str());
    cdsl_module_options raw{};
    raw.defines = defines.data();
    raw.define_count = defines.size();
    raw.settings = settings.data();
    raw.setting_count = settings.size();
    raw.strict = options_.strict;
    raw.fast_math = options_.fast_math;
    cdsl_module* module = nullptr;
    detail::check(cdsl_module_parse(runtime_.get(), text_, name_.c_str(), &raw, &module));
    module_.reset(module);
    device_ = wanted;
  }

  [[noreturn]] static void refuse(const std::string& message) {
    throw Error(cdsl_error{CDSL_ERROR_ARGUMENT, message.c_str(), "", "", "", ""});
  }

  const char* text_;
  std::string name_, device_;
  ModuleOptions options_;
  std::mutex mutex_;
  detail::Owned<cdsl_runtime, cdsl_runtime_destroy> runtime_;
  detail::Owned<cdsl_module, cdsl_module_destroy> module_;
  std::map<std::string, Kernel> kernels_;
};

/// The arguments of one call, in the order of the function's parameters.
class Call {
 public:
  /// `layout`: of records, as the header shows them. Throws Error where the compiler here would lay them out otherwise.
  void tensor(std::initializer_list<const void*> parts, cdsl_type type, std::initializer_list<std::int64_t> extents,
              std::initializer_list<std::int64_t> strides = {}, const char* layout = "") {
    kept_.push_back(std::make_unique<Tensor>());
    Tensor& kept = *kept_.back();
    kept.extents.assign(extents);
    kept.strides.assign(strides);
    kept.layout = layout;
    for (const void* part : parts) kept.parts.push_back(const_cast<void*>(part));
    void* const first = kept.parts.front();
    kept.parts.erase(kept.parts.begin());
    kept.raw = {first, type, static_cast<int>(extents.size()), kept.extents.data(), strides.size() == 0 ? nullptr : kept.strides.data(),
                kept.parts.empty() ? nullptr : kept.parts.data()};
    arguments_.push_back({&kept.raw, CDSL_I64, {}});
  }

  template <class T>
  void scalar(T value) {
    cdsl_argument argument{nullptr, CDSL_I64, {}};
    if constexpr (std::is_floating_point_v<T>) {
      argument.scalar_type = CDSL_F64;
      argument.scalar.f = value;
    } else if constexpr (std::is_same_v<T, bool>) {
      argument.scalar_type = CDSL_BOOL;
      argument.scalar.i = value ? 1 : 0;
    } else if constexpr (std::is_unsigned_v<T>) {
      argument.scalar_type = CDSL_U64;
      argument.scalar.u = value;
    } else {
      argument.scalar.i = value;
    }
    arguments_.push_back(argument);
  }

  void launch(Program& program, const char* function, void* stream) {
    detail::check(cdsl_kernel_launch(checked(program, function), arguments_.data(), arguments_.size(), stream));
  }
  void prepare(Program& program, const char* function, void* stream) {
    detail::check(cdsl_kernel_prepare_for(checked(program, function), arguments_.data(), arguments_.size(), stream));
  }

 private:
  struct Tensor {
    std::vector<std::int64_t> extents, strides;
    std::vector<void*> parts;
    const char* layout = "";
    cdsl_tensor raw;
  };

  cdsl_kernel* checked(Program& program, const char* function) const {
    cdsl_kernel* kernel = program.kernel(function);
    for (std::size_t k = 0, tensor = 0; k < arguments_.size(); ++k) {
      if (arguments_[k].tensor == nullptr) continue;
      const Tensor& kept = *kept_[tensor++];
      cdsl_parameter parameter{};
      detail::check(cdsl_kernel_parameter(kernel, k, &parameter));
      if (kept.layout[0] == '\0' || std::strcmp(kept.layout, parameter.layout) == 0) continue;
      const std::string message = std::string(function) + ": '" + parameter.name + "' was " + kept.layout + " when its header was made, and is " +
                                  parameter.layout + " on this device; write its layout in the program";
      throw Error(cdsl_error{CDSL_ERROR_ARGUMENT, message.c_str(), "", "", "", ""});
    }
    return kernel;
  }

  std::vector<std::unique_ptr<Tensor>> kept_;
  std::vector<cdsl_argument> arguments_;
};

}  // namespace cdsl::embedded
