// cdsl in C++: the C interface (cdsl.h) with ownership, exceptions and containers. Header only: nothing of the standard library
// crosses the boundary of libcdsl, so that programs of any compiler and standard library may use one build of it. C++17.
//
//   cdsl::Runtime runtime;
//   cdsl::Module module = runtime.load("saxpy.cdsl");   // fn saxpy(a: f32, x: f32[N], y: f32[N]) -> (r: f32[N]) { ... }
//   cdsl::Kernel saxpy = module.kernel("saxpy");
//   saxpy.launch(stream, 2.5f, cdsl::tensor(x, {n}), cdsl::tensor(y, {n}), cdsl::tensor(r, {n}));
//   runtime.synchronize(stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "cdsl/cdsl.h"

namespace cdsl {

/// A CUstream or cudaStream_t; null is the legacy default stream.
using Stream = void*;

/// What went wrong, in words, with the status and what the driver or compiler said of it.
class Error : public std::runtime_error {
 public:
  explicit Error(const cdsl_error& details)
      : std::runtime_error(details.message), status_(details.status), api_(details.api), api_code_(details.api_code),
        kernel_(details.kernel), log_(details.log) {}

  cdsl_status status() const { return status_; }
  const std::string& api() const { return api_; }            // "cuLaunchKernel"; "" where it is ours
  const std::string& api_code() const { return api_code_; }  // "CUDA_ERROR_INVALID_VALUE"
  const std::string& kernel() const { return kernel_; }
  const std::string& log() const { return log_; }            // of NVRTC

 private:
  cdsl_status status_;
  std::string api_, api_code_, kernel_, log_;
};

namespace detail {

inline void check(cdsl_status status) {
  if (status == CDSL_OK) return;
  cdsl_error details;
  cdsl_last_error_details(&details);
  throw Error(details);
}

template <class Handle, void (*destroy)(Handle*)>
struct Destroy {
  void operator()(Handle* handle) const { destroy(handle); }
};
template <class Handle, void (*destroy)(Handle*)>
using Owned = std::unique_ptr<Handle, Destroy<Handle, destroy>>;

inline std::string taken(char* text) {
  const Owned<char, cdsl_string_destroy> owner(text);
  return text;
}

}  // namespace detail

/// The language's name of a C++ type. Specialise it for __half (CDSL_F16) and __nv_bfloat16 (CDSL_BF16). Classes without a
/// specialisation are records.
template <class T>
struct TypeOf {
  static constexpr cdsl_type value = CDSL_RECORD;
};
template <> struct TypeOf<bool> { static constexpr cdsl_type value = CDSL_BOOL; };
template <> struct TypeOf<std::int8_t> { static constexpr cdsl_type value = CDSL_I8; };
template <> struct TypeOf<std::int16_t> { static constexpr cdsl_type value = CDSL_I16; };
template <> struct TypeOf<std::int32_t> { static constexpr cdsl_type value = CDSL_I32; };
template <> struct TypeOf<long> { static constexpr cdsl_type value = sizeof(long) == 8 ? CDSL_I64 : CDSL_I32; };
template <> struct TypeOf<long long> { static constexpr cdsl_type value = CDSL_I64; };
template <> struct TypeOf<std::uint8_t> { static constexpr cdsl_type value = CDSL_U8; };
template <> struct TypeOf<std::uint16_t> { static constexpr cdsl_type value = CDSL_U16; };
template <> struct TypeOf<std::uint32_t> { static constexpr cdsl_type value = CDSL_U32; };
template <> struct TypeOf<unsigned long> { static constexpr cdsl_type value = sizeof(long) == 8 ? CDSL_U64 : CDSL_U32; };
template <> struct TypeOf<unsigned long long> { static constexpr cdsl_type value = CDSL_U64; };
template <> struct TypeOf<float> { static constexpr cdsl_type value = CDSL_F32; };
template <> struct TypeOf<double> { static constexpr cdsl_type value = CDSL_F64; };

/// Memory of the device with a shape. Owns nothing but its numbers.
class TensorView {
 public:
  TensorView(const void* data, cdsl_type type, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides = {})
      : data_(const_cast<void*>(data)), type_(type), extents_(std::move(extents)), strides_(std::move(strides)) {
    if (!strides_.empty() && strides_.size() != extents_.size()) throw std::invalid_argument("cdsl: a tensor has one stride an axis");
  }
  /// Of a DLTensor; see dlpack.h.
  static TensorView from_dlpack(const void* dl_tensor) {
    cdsl_tensor raw;
    detail::check(cdsl_tensor_from_dlpack(dl_tensor, &raw));
    return TensorView(raw);
  }
  /// A copy of what `raw` says.
  explicit TensorView(const cdsl_tensor& raw, int part_count = 1)
      : data_(raw.data), type_(raw.type), extents_(raw.extents, raw.extents + raw.rank) {
    if (raw.strides != nullptr) strides_.assign(raw.strides, raw.strides + raw.rank);
    if (raw.parts != nullptr) parts_.assign(raw.parts, raw.parts + part_count - 1);
  }

  /// Points into this view.
  cdsl_tensor raw() const {
    return {data_, type_, static_cast<int>(extents_.size()), extents_.data(), strides_.empty() ? nullptr : strides_.data(),
            parts_.empty() ? nullptr : parts_.data()};
  }

 private:
  void* data_;
  cdsl_type type_;
  std::vector<std::int64_t> extents_, strides_;
  std::vector<void*> parts_;
};

/// A dense tensor, or one with strides in elements.
template <class T>
TensorView tensor(const T* data, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides = {}) {
  return TensorView(data, TypeOf<std::remove_cv_t<T>>::value, std::move(extents), std::move(strides));
}

/// A size by name, for Kernel::prepare.
struct Size {
  std::string name;
  std::int64_t value;
};

class Kernel;
class Module;

/// How a module is compiled; see cdsl_module_options.
struct ModuleOptions {
  std::string architecture;                       // default: of the device
  std::vector<std::string> defines;               // "T=f32", "N=4096"
  std::vector<std::string> settings;              // "C.tile.m=64"
  std::vector<std::string> import_folders;
  bool open_sizes = false, strict = false, fast_math = false, general_only = false;
};

/// Memory in the layout that the compiler chose for a parameter.
class Buffer {
 public:
  TensorView view() const { return TensorView(*cdsl_buffer_tensor(handle_.get()), parts_); }
  /// Arrays of C structs or scalars on the host, all elements; waits.
  template <class T> void upload(const std::vector<T>& host) { detail::check(cdsl_buffer_upload(handle_.get(), host.data(), host.size() * sizeof(T))); }
  template <class T> void download(std::vector<T>& host) const { detail::check(cdsl_buffer_download(handle_.get(), host.data(), host.size() * sizeof(T))); }
  /// The same in device memory; asynchronous.
  void pack(const void* device, std::size_t bytes, Stream stream = {}) { detail::check(cdsl_buffer_pack(handle_.get(), device, bytes, stream)); }
  void unpack(void* device, std::size_t bytes, Stream stream = {}) const { detail::check(cdsl_buffer_unpack(handle_.get(), device, bytes, stream)); }

 private:
  friend class Kernel;
  Buffer(cdsl_buffer* handle, int parts) : handle_(handle), parts_(parts) {}
  detail::Owned<cdsl_buffer, cdsl_buffer_destroy> handle_;
  int parts_;
};

namespace detail {

/// Arguments of one call as the C interface takes them.
template <std::size_t count>
struct Packed {
  cdsl_tensor tensors[count == 0 ? 1 : count];
  cdsl_argument arguments[count == 0 ? 1 : count];
  std::size_t used = 0;

  void add(const TensorView& view) {
    tensors[used] = view.raw();
    arguments[used] = {&tensors[used], CDSL_I64, {}};
    ++used;
  }
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  void add(T value) {
    cdsl_argument& argument = arguments[used++];
    argument = {nullptr, CDSL_I64, {}};
    if constexpr (std::is_floating_point_v<T>) {
      argument.scalar_type = CDSL_F64;
      argument.scalar.f = value;
    } else if constexpr (std::is_same_v<T, bool>) {
      argument.scalar_type = CDSL_BOOL;
      argument.scalar.i = value;
    } else if constexpr (std::is_unsigned_v<T>) {
      argument.scalar_type = CDSL_U64;
      argument.scalar.u = value;
    } else {
      argument.scalar.i = value;
    }
  }
};

/// Views that live while a call is made. Tensors of a Packed point into them.
inline const TensorView& kept(const TensorView& view) { return view; }
inline TensorView kept(const Buffer& buffer) { return buffer.view(); }
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
T kept(T value) { return value; }

template <class Call, class... Arguments>
void with_arguments(const Call& call, const Arguments&... arguments) {
  Packed<sizeof...(Arguments)> packed;
  (packed.add(arguments), ...);
  check(call(packed.arguments, packed.used));
}

}  // namespace detail

/// One function, launched on the caller's stream. Thread-safe.
class Kernel {
 public:
  /// Compiles for these sizes and takes the workspace for `stream`: launches then neither compile nor allocate.
  void prepare(const std::vector<Size>& sizes, Stream stream = {}) {
    const auto raw = raw_sizes(sizes);
    detail::check(cdsl_kernel_prepare(handle_.get(), raw.data(), raw.size(), stream));
  }
  /// The same for arguments as they are.
  template <class... Arguments>
  void prepare_for(Stream stream, const Arguments&... arguments) {
    call([&](const cdsl_argument* list, std::size_t count) { return cdsl_kernel_prepare_for(handle_.get(), list, count, stream); }, arguments...);
  }
  /// Tensor views, buffers and scalars in the order of the function's parameters, results last. Asynchronous.
  template <class... Arguments>
  void launch(Stream stream, const Arguments&... arguments) {
    call([&](const cdsl_argument* list, std::size_t count) { return cdsl_kernel_launch(handle_.get(), list, count, stream); }, arguments...);
  }
  /// What a launch of these arguments runs, and why, as JSON.
  template <class... Arguments>
  std::string plan(const Arguments&... arguments) {
    char* text = nullptr;
    call([&](const cdsl_argument* list, std::size_t count) { return cdsl_kernel_plan(handle_.get(), list, count, &text); }, arguments...);
    return detail::taken(text);
  }
  bool is_cached(const std::vector<Size>& sizes) {
    const auto raw = raw_sizes(sizes);
    int answer = 0;
    detail::check(cdsl_kernel_is_cached(handle_.get(), raw.data(), raw.size(), &answer));
    return answer != 0;
  }
  /// The CUDA C++ text for these sizes.
  std::string source(const std::vector<Size>& sizes) {
    const auto raw = raw_sizes(sizes);
    char* text = nullptr;
    detail::check(cdsl_kernel_source(handle_.get(), raw.data(), raw.size(), &text));
    return detail::taken(text);
  }

  std::vector<cdsl_parameter> parameters() const {
    std::vector<cdsl_parameter> list(cdsl_kernel_parameter_count(handle_.get()));
    for (std::size_t k = 0; k < list.size(); ++k) detail::check(cdsl_kernel_parameter(handle_.get(), k, &list[k]));
    return list;
  }
  /// Memory for the parameter of this name.
  Buffer buffer(std::string_view parameter, const std::vector<std::int64_t>& extents) const {
    const auto list = parameters();
    std::size_t index = 0;
    while (index < list.size() && list[index].name != parameter) ++index;
    if (index == list.size()) {
      const std::string words = "no parameter is named '" + std::string(parameter) + "'";
      throw Error({CDSL_ERROR_ARGUMENT, words.c_str(), "", "", "", ""});
    }
    cdsl_buffer* made = nullptr;
    detail::check(cdsl_buffer_create(handle_.get(), index, extents.data(), static_cast<int>(extents.size()), &made));
    return Buffer(made, list[index].part_count);
  }

 private:
  friend class Module;
  explicit Kernel(cdsl_kernel* handle) : handle_(handle) {}

  static std::vector<cdsl_size> raw_sizes(const std::vector<Size>& sizes) {
    std::vector<cdsl_size> raw;
    for (const Size& size : sizes) raw.push_back({size.name.c_str(), size.value});
    return raw;
  }
  template <class Call, class... Arguments>
  static void call(const Call& call, const Arguments&... arguments) {
    // Views of buffers are made once and live until the call has returned.
    [&](const auto&... kept) { detail::with_arguments(call, kept...); }(detail::kept(arguments)...);
  }

  detail::Owned<cdsl_kernel, cdsl_kernel_destroy> handle_;
};

/// One .cdsl program.
class Module {
 public:
  /// The function of this name; of a program with one, that one.
  Kernel kernel(const std::string& function = {}) const {
    cdsl_kernel* made = nullptr;
    detail::check(cdsl_module_kernel(handle_.get(), function.empty() ? nullptr : function.c_str(), &made));
    return Kernel(made);
  }
  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    while (const char* name = cdsl_module_function(handle_.get(), names.size())) names.push_back(name);
    return names;
  }

 private:
  friend class Runtime;
  explicit Module(cdsl_module* handle) : handle_(handle) {}
  detail::Owned<cdsl_module, cdsl_module_destroy> handle_;
};

struct RuntimeOptions {
  std::string device = "cuda";                    // or "sim"
  const char* cache_folder = nullptr;             // null: the default; "": no cache
};

/// The driver, NVRTC and the cache. Thread-safe.
class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options = {}) {
    cdsl_runtime_options raw{options.device.c_str(), options.cache_folder};
    cdsl_runtime* made = nullptr;
    detail::check(cdsl_runtime_create(&raw, &made));
    handle_.reset(made);
  }

  Module load(const std::string& path, const ModuleOptions& options = {}) {
    return make(options, [&](const cdsl_module_options* raw, cdsl_module** out) { return cdsl_module_load(handle_.get(), path.c_str(), raw, out); });
  }
  Module parse(const std::string& text, const std::string& name = "<text>", const ModuleOptions& options = {}) {
    return make(options, [&](const cdsl_module_options* raw, cdsl_module** out) { return cdsl_module_parse(handle_.get(), text.c_str(), name.c_str(), raw, out); });
  }
  /// Waits for the stream; throws where kernels reported an index outside its tensor, or the device faulted.
  void synchronize(Stream stream = {}) { detail::check(cdsl_synchronize(handle_.get(), stream)); }

 private:
  template <class Make>
  static Module make(const ModuleOptions& options, const Make& make) {
    const auto list = [](const std::vector<std::string>& texts) {
      std::vector<const char*> raw;
      for (const std::string& text : texts) raw.push_back(text.c_str());
      return raw;
    };
    const auto defines = list(options.defines), settings = list(options.settings), folders = list(options.import_folders);
    cdsl_module_options raw{};
    raw.architecture = options.architecture.empty() ? nullptr : options.architecture.c_str();
    raw.defines = defines.data();
    raw.define_count = defines.size();
    raw.settings = settings.data();
    raw.setting_count = settings.size();
    raw.import_folders = folders.data();
    raw.import_folder_count = folders.size();
    raw.open_sizes = options.open_sizes;
    raw.strict = options.strict;
    raw.fast_math = options.fast_math;
    raw.general_only = options.general_only;
    cdsl_module* made = nullptr;
    detail::check(make(&raw, &made));
    return Module(made);
  }

  detail::Owned<cdsl_runtime, cdsl_runtime_destroy> handle_;
};

}  // namespace cdsl
