// libnvfatbin.so for tests: a "fat binary" is a list of what was put in.

#include <cstring>
#include <string>

#define FATBIN extern "C" __attribute__((visibility("default")))

FATBIN int nvFatbinCreate(std::string** made, const char**, std::size_t) {
  *made = new std::string("fake fatbin\n");
  return 0;
}
FATBIN int nvFatbinDestroy(std::string** made) {
  delete *made;
  *made = nullptr;
  return 0;
}
FATBIN int nvFatbinAddCubin(std::string* to, const void*, std::size_t size, const char* architecture, const char*) {
  *to += "cubin " + std::string(architecture) + " " + std::to_string(size) + "\n";
  return 0;
}
FATBIN int nvFatbinAddPTX(std::string* to, const char* text, std::size_t size, const char* architecture, const char*, const char*) {
  if (text[size - 1] != '\0') return 1;
  *to += "ptx " + std::string(architecture) + "\n" + text;
  return 0;
}
FATBIN int nvFatbinSize(std::string* made, std::size_t* size) {
  *size = made->size();
  return 0;
}
FATBIN int nvFatbinGet(std::string* made, void* to) {
  std::memcpy(to, made->data(), made->size());
  return 0;
}
FATBIN const char* nvFatbinGetErrorString(int code) { return code == 0 ? "NVFATBIN_SUCCESS" : "NVFATBIN_ERROR_INTERNAL"; }
