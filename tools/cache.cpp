#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "api/byte_size.h"
#include "runtime/cache/cache_archive.h"
#include "runtime/cache/cache_report.h"
#include "runtime/cache/cache_sweep.h"
#include "tools/commands.h"

namespace cdsl::tools {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using runtime::CacheFolder;
using runtime::DiskCache;

constexpr int64_t kNanoseconds = 1'000'000'000;

std::string json_text(std::string_view text) {
  return llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size()));
}

bool print_json(const Session& session, llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", std::move(value));
  return session.print(text);
}

std::string kernels(int64_t count) {
  return fmt::format("{} kernel{}", count, count == 1 ? "" : "s");
}

/// "3 minutes ago", from nanoseconds since 1970.
std::string age(int64_t moment) {
  int64_t count = std::max<int64_t>(std::time(nullptr) - moment / kNanoseconds, 0);
  const char* unit = "second";
  for (const auto& [size, next] : {std::pair{60, "minute"}, {60, "hour"}, {24, "day"}}) {
    if (count < size) break;
    count /= size;
    unit = next;
  }
  return fmt::format("{} {}{} ago", count, unit, count == 1 ? "" : "s");
}

/// On one line, and nothing in it that a terminal would obey: an imported entry may say anything.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

Object statistics_json(const CacheFolder& folder) {
  const runtime::CacheStatistics statistics = runtime::cache_statistics(folder);
  return Object{{"folder", json_text(folder.path().string())},
                {"entries", statistics.entries},
                {"bytes", statistics.bytes}};
}

int print_statistics_json(const Session& session, const DiskCache& cache) {
  Object report =
      cache.folder() != nullptr ? statistics_json(*cache.folder()) : Object{{"folder", nullptr}};
  report["size_bound"] = cache.options().size_bound;
  Array read_only;
  for (const CacheFolder& folder : cache.read_only()) read_only.push_back(statistics_json(folder));
  report["read_only"] = std::move(read_only);
  return print_json(session, std::move(report)) ? kOk : kUsage;
}

int print_statistics(Session& session, DiskCache& cache) {
  if (session.settings.json_report) return print_statistics_json(session, cache);
  std::string text;
  if (const CacheFolder* folder = cache.folder()) {
    const runtime::CacheStatistics statistics = runtime::cache_statistics(*folder);
    text += fmt::format("folder     {}\n", folder->path().string());
    text +=
        fmt::format("kept       {}, {} of at most {}\n", kernels(statistics.entries),
                    byte_size_text(statistics.bytes), byte_size_text(cache.options().size_bound));
    if (statistics.entries > 0)
      text += fmt::format("last used  {}, the oldest {}\n", age(*statistics.newest),
                          age(*statistics.oldest));
  } else {
    text += "folder     none: compiled kernels are not kept\n";
  }
  for (const CacheFolder& folder : cache.read_only()) {
    const runtime::CacheStatistics statistics = runtime::cache_statistics(folder);
    text += fmt::format("read-only  {}: {}, {}\n", folder.path().string(),
                        kernels(statistics.entries), byte_size_text(statistics.bytes));
  }
  return session.print(text) ? kOk : kUsage;
}

Object entry_json(const runtime::ListedEntry& entry) {
  Object object{{"key", entry.file.key.hex()},
                {"bytes", entry.file.bytes},
                {"last_used", entry.file.last_used / kNanoseconds},
                {"damage", nullptr}};
  if (!entry.damage.empty()) {
    object["damage"] = entry.damage;
    return object;
  }
  object["created"] = entry.created;
  object["description"] = json_text(entry.description);
  return object;
}

int list_kernels(Session& session, DiskCache& cache) {
  const auto entries = runtime::list_entries(*cache.folder());
  if (session.settings.json_report) {
    Array array;
    for (const runtime::ListedEntry& entry : entries) array.push_back(entry_json(entry));
    return print_json(session, std::move(array)) ? kOk : kUsage;
  }
  constexpr std::size_t kShownDigits = 12;
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:<16}  what\n", "key", kShownDigits, "size", "last used");
  for (const runtime::ListedEntry& entry : entries) {
    text += fmt::format(
        "{}  {:>10}  {:<16}  {}\n", entry.file.key.hex().substr(0, kShownDigits),
        byte_size_text(entry.file.bytes), age(entry.file.last_used),
        entry.damage.empty() ? one_line(entry.description) : "damaged: " + entry.damage);
  }
  return session.print(text) ? kOk : kUsage;
}

int print_removed(const Session& session, const runtime::Removed& removed) {
  return session.print(fmt::format("removed {} file{}, {}\n", removed.files,
                                   removed.files == 1 ? "" : "s", byte_size_text(removed.bytes)))
             ? kOk
             : kUsage;
}

int prune_cache(Session& session, DiskCache& cache) {
  const int64_t given = session.settings.cache_size;
  const int64_t bound = given >= 0 ? given : cache.options().size_bound;
  const runtime::Removed left = runtime::remove_leftovers(*cache.folder());
  const runtime::Removed pruned = runtime::prune(*cache.folder(), bound);
  return print_removed(session, {left.files + pruned.files, left.bytes + pruned.bytes});
}

int clear_cache(Session& session, DiskCache& cache) {
  return print_removed(session, runtime::clear(*cache.folder()));
}

/// A damaged entry is a failed verification, an archive that cannot be read or written like any
/// file.
int report_archive(const Session& session, std::string_view done,
                   const runtime::ArchiveOutcome& outcome) {
  std::string text = fmt::format("{} {}", done, kernels(outcome.taken));
  if (outcome.present > 0) text += fmt::format("; already there: {}", outcome.present);
  const bool printed = session.print(text + "\n");
  if (outcome.damaged > 0)
    session.error(fmt::format("left out as damaged: {}", kernels(outcome.damaged)));
  if (!outcome.problem.empty()) session.error(outcome.problem);
  if (!outcome.problem.empty() || !printed) return kUsage;
  return outcome.damaged > 0 ? kMismatch : kOk;
}

int export_cache(Session& session, DiskCache& cache) {
  const std::string& path = session.settings.positional[1];
  return report_archive(session, "exported", runtime::export_entries(*cache.folder(), path));
}

int import_cache(Session& session, DiskCache& cache) {
  const std::string& path = session.settings.positional[1];
  const auto outcome = runtime::import_entries(*cache.folder(), path);
  runtime::sweep(*cache.folder(), cache.options().size_bound);
  return report_archive(session, "imported", outcome);
}

struct Action {
  std::string_view name;
  bool takes_file, needs_folder, writes;
  int (*run)(Session& session, DiskCache& cache);
};

// clang-format off: a table, a row an action.
constexpr Action kActions[] = {
    {"stat",   false, false, false, print_statistics},
    {"list",   false, true,  false, list_kernels},
    {"prune",  false, true,  true,  prune_cache},
    {"clear",  false, true,  true,  clear_cache},
    {"export", true,  true,  false, export_cache},
    {"import", true,  true,  true,  import_cache},
};
// clang-format on

const Action* find_action(const std::vector<std::string>& words) {
  for (const Action& action : kActions) {
    if (!words.empty() && words[0] == action.name) return &action;
  }
  return nullptr;
}

}  // namespace

int cache_command(Session& session) {
  const std::vector<std::string>& words = session.settings.positional;
  const Action* action = find_action(words);
  if (action == nullptr)
    return session.usage_error("cache takes one of stat, list, prune, clear, export and import");
  if (words.size() != (action->takes_file ? 2u : 1u)) {
    return session.usage_error(
        fmt::format("cache {} takes {}", action->name,
                    action->takes_file ? "the file of an archive" : "nothing more"));
  }
  DiskCache& cache = *session.cache();  // its warnings say why it is off
  const CacheFolder* folder = cache.folder();
  if (action->needs_folder && folder == nullptr) {
    session.error(fmt::format("there is no cache to {}", action->name));
    return kUsage;
  }
  if (action->writes && !folder->writable()) return kUsage;
  return action->run(session, cache);
}

}  // namespace cdsl::tools
