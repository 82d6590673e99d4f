#include <cstring>
#include <map>

#include "runtime/kernel_resources.h"

namespace cdsl::runtime {
namespace {

// Source: System V ABI, "ELF-64"; attribute numbers as cuobjdump -elf of CUDA 13.0 names them.
struct Header {
  unsigned char ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, program_offset, section_offset;
  uint32_t flags;
  uint16_t size, program_entry_size, program_count, section_entry_size, section_count,
      section_names;
};
struct Section {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entry_size;
};
struct Symbol {
  uint32_t name;
  unsigned char info, other;
  uint16_t section;
  uint64_t value, size;
};
constexpr uint32_t kSymbolTable = 2, kNoBits = 8;
constexpr unsigned char kFormatSized = 4;  // a .nv.info entry with its size in bytes
constexpr unsigned char kFrameSize = 0x11, kRegisterCount = 0x2f;

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  bool read_sections() {
    Header header;
    if (!read(0, header) || std::memcmp(header.ident,
                                        "\x7f"
                                        "ELF\2\1",
                                        6) != 0)
      return false;
    if (header.section_entry_size != sizeof(Section)) return false;
    sections_.resize(header.section_count);
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      if (!read(header.section_offset + k * sizeof(Section), sections_[k])) return false;
    }
    if (header.section_names >= sections_.size()) return false;
    for (const Section& section : sections_) {
      const auto name = text(sections_[header.section_names], section.name);
      if (!name) return false;
      names_.push_back(*name);
    }
    return true;
  }

  std::optional<std::vector<CubinKernel>> kernels() {
    if (!read_sections()) return std::nullopt;
    constexpr std::string_view kCode = ".text.";
    std::vector<CubinKernel> kernels;
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      if (!names_[k].starts_with(kCode)) continue;
      CubinKernel& kernel = kernels.emplace_back();
      kernel.name = names_[k].substr(kCode.size());
      kernel.code_bytes = static_cast<int64_t>(sections_[k].size);
      for (std::size_t other = 0; other < sections_.size(); ++other) {
        if (names_[other] == ".nv.shared." + kernel.name)
          kernel.shared_bytes = static_cast<int64_t>(sections_[other].size);
      }
      const auto symbol = symbol_index(kernel.name);
      if (!symbol) return std::nullopt;
      const std::map<unsigned char, uint32_t> attributes = attributes_of(*symbol);
      if (const auto found = attributes.find(kRegisterCount); found != attributes.end()) {
        kernel.registers = static_cast<int>(found->second);
      }
      if (const auto found = attributes.find(kFrameSize); found != attributes.end())
        kernel.stack_bytes = found->second;
    }
    return kernels;
  }

 private:
  template <class Record>
  bool read(uint64_t offset, Record& record) const {
    if (offset > file_.size() || file_.size() - offset < sizeof(Record)) return false;
    std::memcpy(&record, file_.data() + offset, sizeof(Record));
    return true;
  }

  std::span<const std::byte> contents(const Section& section) const {
    if (section.type == kNoBits || section.offset > file_.size() ||
        file_.size() - section.offset < section.size)
      return {};
    return file_.subspan(section.offset, section.size);
  }

  std::optional<std::string> text(const Section& strings, uint32_t offset) const {
    const auto bytes = contents(strings);
    for (uint64_t end = offset; end < bytes.size(); ++end) {
      if (bytes[end] == std::byte{0})
        return std::string(reinterpret_cast<const char*>(bytes.data()) + offset, end - offset);
    }
    return std::nullopt;
  }

  std::optional<uint32_t> symbol_index(const std::string& name) const {
    for (const Section& section : sections_) {
      if (section.type != kSymbolTable || section.link >= sections_.size()) continue;
      for (uint64_t k = 0; k < section.size / sizeof(Symbol); ++k) {
        Symbol symbol;
        if (!read(section.offset + k * sizeof(Symbol), symbol)) return std::nullopt;
        if (symbol.name != 0 && text(sections_[section.link], symbol.name) == name)
          return static_cast<uint32_t>(k);
      }
    }
    return std::nullopt;
  }

  /// Entries (attribute, value) of .nv.info that concern one symbol.
  std::map<unsigned char, uint32_t> attributes_of(uint32_t symbol) const {
    std::map<unsigned char, uint32_t> found;
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      if (names_[k] != ".nv.info") continue;
      const auto bytes = contents(sections_[k]);
      std::size_t at = 0;
      while (bytes.size() - at >= 4) {
        const auto format = std::to_integer<unsigned char>(bytes[at]),
                   attribute = std::to_integer<unsigned char>(bytes[at + 1]);
        uint16_t size;
        std::memcpy(&size, bytes.data() + at + 2, sizeof size);
        at += 4;
        if (format != kFormatSized) continue;
        if (bytes.size() - at < size) break;
        uint32_t pair[2];
        if (size == sizeof pair) {
          std::memcpy(pair, bytes.data() + at, sizeof pair);
          if (pair[0] == symbol) found[attribute] = pair[1];
        }
        at += size;
      }
    }
    return found;
  }

  std::span<const std::byte> file_;
  std::vector<Section> sections_;
  std::vector<std::string> names_;
};

}  // namespace

std::optional<std::vector<CubinKernel>> kernels_in_cubin(std::span<const std::byte> cubin) {
  return Reader(cubin).kernels();
}

}  // namespace cdsl::runtime
