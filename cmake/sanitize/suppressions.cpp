// What the leak checker is told to pass over: memory that NVRTC keeps until the process ends.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libnvrtc\n";
}
