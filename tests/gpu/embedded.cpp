// The embedded runtime on a GPU: values, variants, streams and threads, graphs, layouts, reports, and at last a fault.
//
// usage: embedded      exits 77 where there is no GPU

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cdsl/cdsl.hpp"

namespace {

int failures = 0;

void expect(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  std::printf("  FAILED: %s\n", what.c_str());
}

template <class Call>
cdsl_status status_of(const Call& call, std::string* words = nullptr) {
  try {
    call();
  } catch (const cdsl::Error& error) {
    if (words != nullptr) *words = error.what();
    return error.status();
  }
  return CDSL_OK;
}

/// The driver as a program that links it would call it.
struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY);
  template <class... Parameters>
  int operator()(const char* name, Parameters... parameters) const {
    auto* function = reinterpret_cast<int (*)(Parameters...)>(dlsym(library, name));
    if (function == nullptr) {
      std::printf("libcuda.so.1 has no %s\n", name);
      std::exit(1);
    }
    return function(parameters...);
  }
  void check(int code, const char* what) const {
    if (code == 0) return;
    std::printf("%s: error %d\n", what, code);
    std::exit(1);
  }
};
const Driver driver;

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : count_(host.size()) {
    driver.check(driver("cuMemAlloc_v2", &pointer_, host.size() * sizeof(T) + 256), "cuMemAlloc");
    driver.check(driver("cuMemcpyHtoD_v2", pointer_, static_cast<const void*>(host.data()), host.size() * sizeof(T)), "cuMemcpyHtoD");
  }
  explicit DeviceArray(std::size_t count) : DeviceArray(std::vector<T>(count)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { driver("cuMemFree_v2", pointer_); }

  T* data(std::size_t offset = 0) const { return reinterpret_cast<T*>(pointer_) + offset; }
  std::vector<T> host() const {
    std::vector<T> out(count_);
    driver("cuMemcpyDtoH_v2", static_cast<void*>(out.data()), pointer_, count_ * sizeof(T));
    return out;
  }

 private:
  unsigned long long pointer_ = 0;
  std::size_t count_;
};

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> out(count);
  for (float& value : out) value = values(engine);
  return out;
}

constexpr const char* kSaxpy = "fn saxpy(a: f32, x: f32[N], y: f32[N]) -> (r: f32[N]) { r[i] = a * x[i] + y[i]; }";

void check_saxpy(cdsl::Kernel& saxpy, std::int64_t n, std::size_t offset, cdsl::Stream stream, float a) {
  const auto x = random_floats(static_cast<std::size_t>(n) + offset, 1), y = random_floats(static_cast<std::size_t>(n) + offset, 2);
  const DeviceArray<float> dx(x), dy(y), dr(x.size());
  saxpy.launch(stream, a, cdsl::tensor(dx.data(offset), {n}), cdsl::tensor(dy.data(offset), {n}), cdsl::tensor(dr.data(offset), {n}));
  driver("cuStreamSynchronize", stream);
  const auto r = dr.host();
  bool good = true;
  for (std::size_t k = offset; k < r.size(); ++k) good &= std::fabs(r[k] - (a * x[k] + y[k])) <= 1e-6f * (std::fabs(a * x[k]) + std::fabs(y[k]) + 1);
  expect(good, "saxpy of " + std::to_string(n) + " elements at offset " + std::to_string(offset));
}

void sizes_and_bases(cdsl::Runtime& runtime) {
  for (const bool open : {false, true}) {
    cdsl::ModuleOptions options;
    options.open_sizes = open;
    cdsl::Kernel saxpy = runtime.parse(kSaxpy, "saxpy.cdsl", options).kernel();
    for (const std::int64_t n : {1, 2, 3, 7, 31, 33, 1000, 1028, 100003, 1 << 20})
      for (const std::size_t offset : {0, 1, 2}) check_saxpy(saxpy, n, offset, nullptr, 2.5f);
  }
}

void strides(cdsl::Runtime& runtime) {
  cdsl::Kernel kernel = runtime.parse("fn scale(x: f32[M, N] strided) -> (y: f32[M, N]) { y[i, j] = 2 * x[i, j]; }").kernel();
  const std::int64_t m = 33, n = 65;
  const auto x = random_floats(static_cast<std::size_t>(m * n), 3);
  const DeviceArray<float> dx(x), dy(x.size());
  kernel.launch(nullptr, cdsl::tensor(dx.data(), {m, n}, {1, m}), cdsl::tensor(dy.data(), {m, n}));
  const auto y = dy.host();
  bool good = true;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) good &= y[static_cast<std::size_t>(i * n + j)] == 2 * x[static_cast<std::size_t>(j * m + i)];
  expect(good, "a transposed view");
}

void streams_and_threads(cdsl::Runtime& runtime) {
  cdsl::Kernel dot = runtime.parse("fn dot(x: f32[N], y: f32[N]) -> (s: f32) { s = sum[i](x[i] * y[i]); }").kernel();
  constexpr int kThreads = 16, kStreams = 8, kRounds = 50;
  std::vector<void*> streams(kStreams);
  void* context = nullptr;
  driver("cuCtxGetCurrent", &context);
  for (void*& stream : streams) driver.check(driver("cuStreamCreate", &stream, 1u), "cuStreamCreate");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      driver("cuCtxSetCurrent", context);
      const std::int64_t n = (1 << 20) + 1000 * (thread % 3);
      std::vector<float> x(static_cast<std::size_t>(n)), y(x.size(), 1);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>((k + static_cast<std::size_t>(thread)) % 3);
      double sum = 0;
      for (const float value : x) sum += value;
      const DeviceArray<float> dx(x), dy(y), ds(kRounds);
      for (int round = 0; round < kRounds; ++round) {
        void* stream = streams[static_cast<std::size_t>((thread + round) % kStreams)];
        dot.launch(stream, cdsl::tensor(dx.data(), {n}), cdsl::tensor(dy.data(), {n}), cdsl::tensor(ds.data(static_cast<std::size_t>(round)), {}));
      }
      driver("cuCtxSynchronize");
      for (const float s : ds.host()) wrong += s != static_cast<float>(sum);
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, std::to_string(wrong.load()) + " sums of 16 threads on 8 streams are wrong");
  for (void* stream : streams) driver("cuStreamDestroy_v2", stream);
}

void graph(cdsl::Runtime& runtime) {
  cdsl::Kernel steps = runtime.parse("fn steps(inout u: f32[N], v: f32[N]) { repeat t in 0..3 { u[i] = u[i] + v[i]; } }").kernel();
  const std::int64_t n = 10007;
  const DeviceArray<float> u(static_cast<std::size_t>(n)), v(std::vector<float>(static_cast<std::size_t>(n), 1));
  void *stream = nullptr, *graph = nullptr, *run = nullptr;
  driver("cuStreamCreate", &stream, 1u);
  steps.prepare({{"N", n}}, stream);
  driver.check(driver("cuStreamBeginCapture_v2", stream, 0), "cuStreamBeginCapture");
  steps.launch(stream, cdsl::tensor(u.data(), {n}), cdsl::tensor(v.data(), {n}));
  driver.check(driver("cuStreamEndCapture", stream, &graph), "cuStreamEndCapture");
  driver.check(driver("cuGraphInstantiateWithFlags", &run, graph, 0ull), "cuGraphInstantiate");
  for (int k = 0; k < 5; ++k) driver.check(driver("cuGraphLaunch", run, stream), "cuGraphLaunch");
  driver("cuStreamSynchronize", stream);
  bool good = true;
  for (const float value : u.host()) good &= value == 15;
  expect(good, "five launches of a captured graph");
  driver("cuGraphExecDestroy", run);
  driver("cuGraphDestroy", graph);
  driver("cuStreamDestroy_v2", stream);
}

void layouts(cdsl::Runtime& runtime) {
  struct Particle {
    float x, y, z, m;
  };
  const std::int64_t n = 1003;
  std::vector<Particle> given(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < given.size(); ++k) given[k] = {static_cast<float>(k), 1, 2, 3};
  for (const std::string layout : {"auto", "aos", "soa", "aosoa(32)", "split({x, m}, {y, z})"}) {
    cdsl::Kernel push = runtime.parse("struct P { x: f32; y: f32; z: f32; m: f32; }\nfn push(inout p: P[N] layout(" + layout + ")) { p[i] = p[i] with (x: p[i].x + p[i].m); }").kernel();
    cdsl::Buffer buffer = push.buffer("p", {n});
    const DeviceArray<Particle> packed(given), unpacked(given.size());
    buffer.pack(packed.data(), given.size() * sizeof(Particle));
    push.launch(nullptr, buffer);
    buffer.unpack(unpacked.data(), given.size() * sizeof(Particle));
    std::vector<Particle> there(given.size());
    buffer.download(there);
    bool good = true;
    const auto back = unpacked.host();
    for (std::size_t k = 0; k < given.size(); ++k)
      good &= back[k].x == given[k].x + 3 && back[k].z == 2 && std::memcmp(&back[k], &there[k], sizeof(Particle)) == 0;
    expect(good, "layout(" + layout + ")");
  }
}

void reports(cdsl::Runtime& runtime) {
  cdsl::Kernel pick = runtime.parse("fn pick(x: f32[N], t: i32[M]) -> (y: f32[M]) { y[i] = x[t[i]]; }", "pick.cdsl").kernel();
  const DeviceArray<float> x({1, 2, 3}), y(4);
  const DeviceArray<int> t({0, 7, 2, -1});
  const auto launch = [&] { pick.launch(nullptr, cdsl::tensor(x.data(), {3}), cdsl::tensor(t.data(), {4}), cdsl::tensor(y.data(), {4})); };
  std::string words;
  launch();
  expect(status_of([&] { runtime.synchronize(); }, &words) == CDSL_ERROR_CHECK, "a gather outside is reported");
  expect(words.find("pick.cdsl:1:") != std::string::npos && words.find("2 times") != std::string::npos, "the report names place and count: " + words);
  expect(y.host() == std::vector<float>({1, 0, 3, 0}), "elements inside are right, others 0");
  expect(status_of([&] { runtime.synchronize(); }) == CDSL_OK, "reports are told once");
}

void plan(cdsl::Runtime& runtime) {
  cdsl::Kernel sums = runtime.parse("fn sums(x: f32[M, N]) -> (s: f32[M]) { s[i] = sum[j](x[i, j]); }").kernel();
  const DeviceArray<float> x(1 << 20), s(1 << 10);
  const std::string text = sums.plan(cdsl::tensor(x.data(), {1 << 10, 1 << 10}), cdsl::tensor(s.data(), {1 << 10}));
  expect(text.find("\"grid\"") != std::string::npos && text.find("\"occupancy\"") != std::string::npos, "plan: " + text);
  // Our block keeps as many threads resident as the one that the driver would take.
  const auto number = [&](const std::string& key) { return std::atof(text.c_str() + text.find(key) + key.size()); };
  expect(number("\"occupancy\": ") >= 0.99 || number("\"driver_suggests_block\": ") < 128, "occupancy beside the driver's suggestion: " + text);
  std::printf("%s\n", text.substr(0, text.find("\"why\"")).c_str());
}

// Last: the context does not survive it.
void fault(cdsl::Runtime& runtime) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  auto* nowhere = reinterpret_cast<float*>(std::uintptr_t{1} << 44);
  const auto at = [&](std::int64_t k) { return cdsl::tensor(nowhere + k * 4096, {1024}); };
  const auto begin = std::chrono::steady_clock::now();
  status_of([&] { saxpy.launch(nullptr, 1.f, at(0), at(1), at(2)); });
  expect(status_of([&] { runtime.synchronize(); }) == CDSL_ERROR_DEVICE_FAULT, "a fault has its code");
  expect(status_of([&] { runtime.synchronize(); }) == CDSL_ERROR_DEVICE_FAULT, "and keeps it");
  expect(status_of([&] { saxpy.launch(nullptr, 1.f, at(0), at(1), at(2)); }) == CDSL_ERROR_DEVICE_FAULT, "launches after it say the same");
  expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5), "nothing hangs");
}

}  // namespace

int main() {
  try {
    cdsl::Runtime runtime;
    const std::pair<const char*, void (*)(cdsl::Runtime&)> parts[] = {{"sizes and bases", sizes_and_bases}, {"strides", strides}, {"streams and threads", streams_and_threads},
                                                                      {"graph", graph}, {"layouts", layouts}, {"reports", reports}, {"plan", plan}, {"fault", fault}};
    // The first call makes the primary context current, in which this program allocates.
    runtime.synchronize();
    for (const auto& [name, part] : parts) {
      const auto begin = std::chrono::steady_clock::now();
      const int before = failures;
      part(runtime);
      std::printf("%s %s (%.0f ms)\n", failures == before ? "ok  " : "FAIL", name, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
      std::fflush(stdout);
    }
  } catch (const cdsl::Error& error) {
    std::printf("%s: %s\n%s\n", cdsl_status_name(error.status()), error.what(), error.log().c_str());
    return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
  }
  return failures == 0 ? 0 : 1;
}
