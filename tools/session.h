// One run of cuoptc: what was asked for, what it knows of its surroundings, and its voice. Messages
// go to standard error; only what the command is for goes to standard output.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/environment.h"
#include "api/pipeline.h"
#include "api/version.h"
#include "runtime/cache/disk_cache.h"
#include "runtime/cuda/context.h"
#include "runtime/timeline.h"
#include "tools/settings.h"

namespace cdsl::tools {

class Session {
 public:
  Session(Settings settings, Environment environment);

  Settings settings;
  Environment environment;

  /// Reads and parses a file ("-": standard input). The session keeps the last one for a
  /// reproducer.
  Source& load(const std::string& path);
  const Source* source() const { return source_.get(); }
  /// For who works on several; messages about it can be printed no more.
  std::unique_ptr<Source> take_source() { return std::move(source_); }

  /// Of the GPU, made once: a driver takes a second for it. Throws runtime::Error.
  std::shared_ptr<const runtime::CudaContext> context() const {
    if (!context_) context_ = runtime::CudaContext::of_thread();
    return context_;
  }

  /// Of compiled kernels; null with --no-cache. What is wrong with it is a warning, once.
  runtime::DiskCache* cache() const;
  /// Warns of a compiled kernel that could not be kept.
  void report_cache() const;

  /// Of what takes time, where --timeline asks for it; else null.
  runtime::Timeline* timeline() const { return timeline_.get(); }
  /// Writes it, where there is one. False, with a message, where that fails.
  bool write_timeline() const { return timeline_ == nullptr || write(settings.timeline, timeline_->json()); }

  /// A message that concerns no place in a source file: "cuoptc: error: ...".
  void error(std::string_view message) const { say("error", message); }
  void warning(std::string_view message) const { say("warning", message); }
  void note(std::string_view message) const { say("note", message); }
  int usage_error(std::string_view message) const;

  /// Prints the diagnostics that were not printed yet; true where there are errors.
  bool report(const Source& source);
  /// A message at a place: launch errors, reports of kernels.
  void error_at(const Source& source, Code code, SourceRange where,
                const std::string& message) const;
  void warning_at(const Source& source, SourceRange where, const std::string& message) const;
  /// Decisions that -Rpass and -Rpass-missed ask for.
  void print_remarks(const Source& source, const Remarks& remarks) const;

  /// Writes to a file, or to standard output for "" and "-". False, with a message, where that
  /// fails.
  bool write(const std::string& path, std::string_view contents) const;
  bool print(std::string_view text) const { return write("-", text); }

 private:
  void say(std::string_view severity, std::string_view message) const;

  bool color_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<runtime::Timeline> timeline_;
  mutable std::shared_ptr<const runtime::CudaContext> context_;
  mutable std::unique_ptr<runtime::DiskCache> cache_;  // once it was asked for
  std::size_t reported_ = 0;
};

}  // namespace cdsl::tools
