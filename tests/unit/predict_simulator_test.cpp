// What the predictor counts equals what the simulator counts, site by site, wherever addresses are static: every example at
// small sizes.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "api/pipeline.h"
#include "api/test_data.h"
#include "passes/predict/predict.h"
#include "runtime/executor.h"
#include "runtime/sim_device.h"

namespace cdsl {
namespace {

constexpr int kSimulatorRegisters = 32;       // that SimDevice assumes when it sizes grids
constexpr std::size_t kSizeSets = 4;

struct Case {
  std::string file, given;
  std::vector<std::string> types, sizes;
};

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> list;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) {
    if (!word.empty() && word != "-") list.push_back(word);
  }
  return list;
}

std::vector<Case> cases() {
  std::ifstream file(std::string(CDSL_SOURCE_DIR) + "/tests/run/cases.tsv");
  std::string line;
  std::getline(file, line);
  std::vector<Case> list;
  while (std::getline(file, line)) {
    std::vector<std::string> columns;
    std::stringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    if (columns.size() < 4) continue;
    const bool is_rows = columns[0] == "tests/run/types/rows";
    if (!is_rows && !columns[0].starts_with("examples/")) continue;
    list.push_back({columns[0], columns[2], words(is_rows ? "T=bf16" : columns[1], ' '), words(columns[3], ' ')});
  }
  return list;
}

using Key = std::tuple<std::string, std::string, std::string, uint32_t, uint32_t, bool, bool, int>;
struct Counts {
  double requests = 0, lanes = 0, sectors = 0, ideal = 0, wavefronts = 0, ideal_wavefronts = 0;
  bool exact = true;
};

std::map<Key, Counts> simulated(const sim::Result& result) {
  std::map<Key, Counts> sums;
  for (const sim::AccessCounters& a : result.accesses) {
    Counts& sum = sums[{a.kernel, a.buffer, a.leaf, a.where.begin, a.where.end, a.is_store, a.is_atomic, a.width_bytes}];
    sum.requests += static_cast<double>(a.requests);
    sum.lanes += static_cast<double>(a.lanes);
    sum.sectors += static_cast<double>(a.sectors);
    sum.ideal += static_cast<double>(a.ideal_sectors);
    sum.wavefronts += static_cast<double>(a.wavefronts);
    sum.ideal_wavefronts += static_cast<double>(a.ideal_wavefronts);
  }
  return sums;
}

std::map<Key, Counts> predicted(const predicting::FunctionPrediction& prediction, const loop::Program& program) {
  std::map<Key, Counts> sums;
  for (const predicting::KernelPrediction& kernel : prediction.kernels) {
    for (const predicting::Access& a : kernel.accesses) {
      const bool atomic = a.kind == predicting::AccessKind::Atomic || a.kind == predicting::AccessKind::SharedAtomic;
      const bool store = atomic || a.kind == predicting::AccessKind::Store || a.kind == predicting::AccessKind::SharedStore;
      Counts& sum = sums[{kernel.name, program.buffer(a.buffer).name, a.field, a.where.begin, a.where.end, store, atomic,
                          a.width_bytes}];
      sum.requests += a.requests * kernel.launches;
      sum.lanes += a.lanes * kernel.launches;
      sum.sectors += a.sectors * kernel.launches;
      sum.ideal += a.ideal_sectors * kernel.launches;
      sum.wavefronts += a.wavefronts * kernel.launches;
      sum.ideal_wavefronts += a.ideal_wavefronts * kernel.launches;
      sum.exact = sum.exact && a.exact;
    }
  }
  return sums;
}

class PredictSimulator : public testing::TestWithParam<Case> {
 protected:
  // Sites whose counts were compared, and all of them.
  std::pair<int, int> compare(const tir::Function& reference, const Compiled& unit, const std::string& text) {
    Arguments given;
    std::map<std::string, int64_t> sizes;
    for (const std::string& size : words(text, ','))
      sizes[size.substr(0, size.find('='))] = std::stoll(size.substr(size.find('=') + 1));
    for (const std::string& scalar : words(GetParam().given, ' ')) {
      const std::string name = scalar.substr(0, scalar.find('=')), value = scalar.substr(scalar.find('=') + 1);
      for (const tir::ScalarParameter& parameter : reference.scalars) {
        if (reference.arena.symbol(parameter.symbol).name != name) continue;
        given.scalars[name] = is_float(parameter.declared) ? Value::of_float(std::stod(value)) : Value::of_int(std::stoll(value));
      }
    }
    const auto made = make_arguments(reference, given, sizes, {DataOptions::Kind::Exact, 1, false, false});
    if (!made || !made->illegal.empty()) return {0, 0};
    runtime::SimOptions options;
    options.multiprocessors = 1;
    options.simulator.check = false;
    runtime::SimDevice device(unit.program, options);
    const auto run = runtime::execute(unit.function, unit.program.plan, unit.program.sites, made->arguments, device);
    EXPECT_TRUE(run.errors.empty());
    if (device.result() == nullptr) return {0, 0};

    predicting::PredictOptions prediction;
    prediction.as_written = true;
    prediction.architecture = find_architecture(kDefaultArchitecture);
    prediction.multiprocessors = 1;
    prediction.budget = 0;
    prediction.resources.assign(unit.program.kernels.size(), {kSimulatorRegisters, 0, 0, false});
    const tir::Bound bound = tir::bind(unit.function, made->arguments);
    const auto expected = simulated(*device.result());
    const auto actual = predicted(predicting::predict(unit.function, unit.program, bound.bindings, prediction), unit.program);
    std::pair<int, int> sites;
    for (const auto& [key, counts] : expected) {
      if (counts.requests == 0) continue;
      ++sites.second;
      const std::string place = std::get<0>(key) + " " + std::get<1>(key) + "." + std::get<2>(key) + " at " +
                                std::to_string(std::get<3>(key)) + ", " + text;
      const auto found = actual.find(key);
      EXPECT_NE(found, actual.end()) << place << " is not predicted";
      if (found == actual.end() || !found->second.exact) continue;
      ++sites.first;
      EXPECT_NEAR(found->second.requests, counts.requests, 1e-6 * counts.requests) << place;
      EXPECT_NEAR(found->second.lanes, counts.lanes, 1e-6 * counts.lanes) << place;
      EXPECT_NEAR(found->second.sectors, counts.sectors, 1e-6 * counts.sectors) << place;
      EXPECT_NEAR(found->second.ideal, counts.ideal, 1e-6 * counts.ideal) << place;
      EXPECT_NEAR(found->second.wavefronts, counts.wavefronts, 1e-6 * counts.wavefronts) << place;
      EXPECT_NEAR(found->second.ideal_wavefronts, counts.ideal_wavefronts, 1e-6 * counts.ideal_wavefronts) << place;
    }
    return sites;
  }
};

TEST_P(PredictSimulator, CountsAgree) {
  SourceInput input;
  input.path = std::string(CDSL_SOURCE_DIR) + "/" + GetParam().file + ".cdsl";
  const auto source = load_and_parse(input);
  CompileOptions options;
  for (const std::string& type : GetParam().types) ASSERT_FALSE(add_define(options.defines, type));
  std::vector<std::string> skipped;
  std::pair<int, int> total;
  for (const bool decide : {false, true}) {
    options.decide = decide;
    for (const std::string& name : functions_to_compile(*source, "", options, skipped)) {
      const auto reference = analyze_function(*source, name, options);
      const auto unit = compile(*source, name, options);
      ASSERT_TRUE(reference && unit) << name;
      std::size_t sets = 0;
      for (const std::string& sizes : GetParam().sizes) {
        if (sets++ == kSizeSets) break;
        const auto [compared, all] = compare(*reference, *unit, sizes);
        total.first += compared;
        total.second += all;
      }
    }
  }
  RecordProperty("compared", total.first);
  RecordProperty("sites", total.second);
  EXPECT_GE(3 * total.first, total.second) << total.first << " of " << total.second << " sites are static";
}

std::string title(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.file.substr(info.param.file.find('/') + 1);
  for (const std::string& type : info.param.types) name += "_" + type.substr(type.find('=') + 1);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Examples, PredictSimulator, testing::ValuesIn(cases()), title);

}  // namespace
}  // namespace cdsl
