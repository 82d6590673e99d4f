// Cached kernels as one file: round trip, damage, and archives made to do harm.
#include <fstream>
#include <iterator>

#include "cache_fixture.h"
#include "runtime/cache/byte_codec.h"
#include "runtime/cache/cache_archive.h"

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

class CacheArchiveTest : public CacheTest {
 protected:
  CacheArchiveTest() : from(named("from")), to(named("to")) {
    for (int number : {1, 2, 3}) from.get(key_of(number), "", [number] { return code_of(number); });
  }

  CacheOptions named(const char* name) const {
    CacheOptions options;
    options.folder = base / name;
    return options;
  }
  std::string read() const {
    std::ifstream file(archive, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(std::string_view bytes) const { std::ofstream(archive, std::ios::binary) << bytes; }
  ArchiveOutcome import() const { return import_entries(*to.folder(), archive); }

  fs::path archive = base / "kernels.pack";
  DiskCache from, to;
};

TEST_F(CacheArchiveTest, TakesEverythingOver) {
  EXPECT_EQ(export_entries(*from.folder(), archive).taken, 3);
  EXPECT_EQ(mode_of(archive), 0600u);
  const ArchiveOutcome first = import(), second = import();
  EXPECT_EQ(first.problem, "");
  EXPECT_EQ(first.taken, 3);
  EXPECT_EQ(second.taken, 0);
  EXPECT_EQ(second.present, 3);
  for (int number : {1, 2, 3}) EXPECT_EQ(to.find(key_of(number)), code_of(number));
}

TEST_F(CacheArchiveTest, LeavesOutWhatIsDamaged) {
  fs::resize_file(base / "from" / CacheFolder::entry_name(key_of(2)), 90);
  const ArchiveOutcome out = export_entries(*from.folder(), archive);
  EXPECT_EQ(out.taken, 2);
  EXPECT_EQ(out.damaged, 1);
  std::string bytes = read();
  bytes[500] ^= 1;  // in the first entry
  write(bytes);
  const ArchiveOutcome in = import();
  EXPECT_EQ(in.problem, "");
  EXPECT_EQ(in.taken, 1);
  EXPECT_EQ(in.damaged, 1);
}

TEST_F(CacheArchiveTest, SaysWhereItIsCutShort) {
  export_entries(*from.folder(), archive);
  const std::string bytes = read();
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{16}, std::size_t{20},
                                   std::size_t{100}, bytes.size() - 8, bytes.size() - 1}) {
    write(bytes.substr(0, length));
    EXPECT_NE(import().problem, "") << length;
  }
}

TEST_F(CacheArchiveTest, AbsurdLengthsAndWrongFilesEndIt) {
  export_entries(*from.folder(), archive);
  const std::string heading = read().substr(0, 16);
  write(heading + std::string(8, '\xff'));
  EXPECT_NE(import().problem.find("absurd"), std::string::npos);
  write(heading + std::string("\0\0\0\x10\0\0\0\0", 8) + "x");  // 256 MiB are not there
  EXPECT_NE(import().problem.find("cut short"), std::string::npos);
  write("PK\3\4 or whatever");
  EXPECT_NE(import().problem.find("no archive"), std::string::npos);
  EXPECT_NE(import_entries(*to.folder(), base / "missing").problem, "");
  EXPECT_NE(import_entries(*to.folder(), base).problem, "");  // a folder
}

// An archive has no names, and what stands for one inside an entry must be a key.
TEST_F(CacheArchiveTest, NothingIsWrittenBesideTheEntries) {
  CacheEntry entry{key_of(9), 0, "../../evil\n\x1b[2J", code_of(9)};
  const auto file = write_entry(entry);
  ByteWriter bytes;
  bytes.raw(std::as_bytes(std::span(std::string_view("cdslpack"))));
  bytes.number(1);
  bytes.text(file);
  const std::string hostile = "cdslkrnl../../../evil";
  bytes.text(hostile);
  bytes.number(0);
  write({reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()});
  const ArchiveOutcome outcome = import();
  EXPECT_EQ(outcome.taken, 1);
  EXPECT_EQ(outcome.damaged, 1);
  EXPECT_EQ(to.find(key_of(9)), code_of(9));
  EXPECT_EQ(std::distance(fs::directory_iterator(base), {}), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(base / "to"), {}), 1);
}

TEST_F(CacheArchiveTest, WhatCannotBeWrittenLeavesNothing) {
  EXPECT_NE(export_entries(*from.folder(), base / "missing" / "x").problem, "");
  fs::create_directory(archive);
  EXPECT_NE(export_entries(*from.folder(), archive).problem, "");
  EXPECT_EQ(std::distance(fs::directory_iterator(base), {}), 3);
}

}  // namespace
}  // namespace cdsl::runtime
