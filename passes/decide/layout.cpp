#include "passes/decide/layout.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "passes/decide/layout_choice.h"
#include "passes/decide/layout_price.h"
#include "passes/recognize/record_uses.h"
#include "passes/recognize/sizes.h"

namespace cdsl {
namespace {

using namespace deciding;

constexpr double kWorthwhile = 0.98;       // what is less simple has to be 2 % better
constexpr const char* kConvert = "memory of the caller: declare it so, or convert";

const Architecture& architecture_of(const Schedule& schedule) {
  const Architecture* found = find_architecture(schedule.architecture);
  return found != nullptr ? *found : *find_architecture(kDefaultArchitecture);
}

double rounded(double value) { return std::round(value * 100) / 100; }

struct Option {
  Layout layout;
  std::string name;
  LayoutPrice price;
};

// The layouts of one tensor of records.
class Choosing {
 public:
  Choosing(const tir::Function& function, TensorId id, PassContext& context, const SizeValues& sizes,
           std::span<const StatementUses> uses)
      : tensor_(function.tensor(id)), record_(function.element(id)), id_(id), context_(context), uses_(uses),
        arch_(architecture_of(context.schedule)), key_(tensor_.name + ".layout"), open_(is_open(tensor_)) {
    const auto found = context.schedule.overrides.find(key_);
    if (found != context.schedule.overrides.end()) asked_ = found->second;
    for (ExprId extent : tensor_.shape) elements_ *= static_cast<double>(std::max<int64_t>(1, sizes.likely(extent)));
  }

  Layout run() {
    if (record_.is_scalar()) return refuse("its elements are no records; possible: none, leave it out"), tensor_.layout;
    if (!open_) return keep(), tensor_.layout;
    if (record_.leaves.size() < 2) return only_field();
    for (const Layout& layout : layouts_of(record_, id_, uses_)) add(layout);
    std::size_t taken = 0;
    for (std::size_t k = 1; k < options_.size(); ++k)
      if (options_[k].price.score < options_[taken].price.score * kWorthwhile) taken = k;
    taken = obey(taken);
    leave_remark(taken, true);
    return options_[taken].layout;
  }

 private:
  // Nobody outside sees a temporary.
  static bool is_open(const tir::Tensor& tensor) {
    const bool by_default = tensor.role == tir::Role::Temporary && tensor.layout.kind == Layout::Kind::Aos;
    return tensor.layout.kind == Layout::Kind::Auto || by_default;
  }

  void add(const Layout& layout) {
    options_.push_back({layout, spelled(record_, layout), price(arch_, record_, layout, elements_, id_, uses_)});
  }
  void refuse(std::string why) {
    if (!asked_.empty()) context_.impossible[key_] = {asked_, std::move(why)};
  }

  Layout only_field() {
    if (asked_ == "soa") context_.settled.insert(key_);
    else refuse("too few fields: a record of one field lies alike in every layout; possible: soa");
    return {Layout::Kind::Soa, 0, {}};
  }

  // The option that `--set` asks for, where it is one.
  std::size_t obey(std::size_t taken) {
    if (asked_.empty()) return taken;
    const auto asked = read_layout(record_, asked_);
    if (const auto* why = std::get_if<std::string>(&asked)) {
      std::string possible = *why + "; possible: ";
      for (std::size_t k = 0; k < options_.size(); ++k) possible += (k == 0 ? "" : ", ") + options_[k].name;
      refuse(possible + "; other widths and parts too");
      return taken;
    }
    context_.settled.insert(key_);
    const Layout& layout = std::get<Layout>(asked);
    const auto same = [&](const Option& option) { return option.layout == layout; };
    const auto found = std::find_if(options_.begin(), options_.end(), same);
    if (found != options_.end()) return static_cast<std::size_t>(found - options_.begin());
    add(layout);
    return options_.size() - 1;
  }

  // Memory of the caller, who may want to know what another layout would do.
  void keep() {
    if (asked_ == "direct") {
      context_.settled.insert(key_);
    } else {
      const auto asked = read_layout(record_, asked_);
      const auto* why = std::get_if<std::string>(&asked);
      refuse((why != nullptr ? *why : fmt::format("the caller owns this memory; declare layout({}) or layout(auto) to change it", asked_)) +
             "; possible: direct");
    }
    if (tensor_.layout.kind != Layout::Kind::Aos || record_.leaves.size() < 2) return;
    for (const Layout& layout : layouts_of(record_, id_, uses_)) add(layout);
    const auto is_kept = [&](const Option& option) { return option.layout == tensor_.layout; };
    leave_remark(static_cast<std::size_t>(std::find_if(options_.begin(), options_.end(), is_kept) - options_.begin()), false);
  }

  std::vector<Remark::Number> numbers_of(const LayoutPrice& price) const {
    return {{"sectors/request", rounded(price.sectors_per_request), ""},
            {"sectors/warp", rounded(price.sectors_per_warp), ""},
            {"predicted", rounded(price.us), "us"}};
  }

  void leave_remark(std::size_t taken, bool fired) {
    const Option& chosen = options_[taken];
    Remark made{"layout", tensor_.name, fired, fired ? chosen.name : "direct", {}, {}, {}, tensor_.where, key_};
    const std::size_t used = used_fields();
    const std::string_view first = fired ? std::string_view(chosen.name) : "the caller laid the records out";
    made.reason = fmt::format("{}; {} of {} fields are used{}", first, used, record_.leaves.size(), how());
    made.numbers = numbers_of(chosen.price);
    for (std::size_t k = 0; k < options_.size() && used > 0; ++k) {
      const Option& option = options_[k];
      if (k == taken) continue;
      Remark::Alternative other{option.name, option.price.us > chosen.price.us ? "slower" : "no faster", numbers_of(option.price)};
      if (!fired && option.price.score < chosen.price.score * kWorthwhile) {
        other.why_not = kConvert;
        add_break_even(option.price.us, chosen.price.us, other);
      }
      made.alternatives.push_back(std::move(other));
    }
    context_.remarks.push_back(std::move(made));
  }

  // Converting there, and back where the call changes the records.
  void add_break_even(double us, double kept_us, Remark::Alternative& other) const {
    const double conversion = conversion_us(arch_, record_, elements_) * (tensor_.role == tir::Role::InOut ? 2 : 1);
    other.numbers.push_back({"conversion", rounded(conversion), "us"});
    if (us < kept_us) other.numbers.push_back({"break-even uses", std::ceil(conversion / (kept_us - us)), ""});
  }

  std::size_t used_fields() const {
    std::set<uint32_t> leaves;
    for (const StatementUses& statement : uses_)
      for (const RecordUse& use : statement.uses)
        for (const FieldAccess& field : use.fields)
          if (use.tensor == id_) leaves.insert(field.leaf);
    return leaves.size();
  }

  std::string how() const {
    bool neighbours = false, strided = false, irregular = false;
    for (const StatementUses& statement : uses_) {
      for (const RecordUse& use : statement.uses) {
        if (use.tensor != id_) continue;
        (use.irregular ? irregular : use.step > 1 ? strided : neighbours) = true;
      }
    }
    std::string text;
    if (strided) text += ", some across the lanes' order";
    if (irregular) text += neighbours || strided ? ", some where data says" : ", where data says";
    return text;
  }

  const tir::Tensor& tensor_;
  const RecordType& record_;
  TensorId id_;
  PassContext& context_;
  std::span<const StatementUses> uses_;
  const Architecture& arch_;
  std::string key_, asked_;
  bool open_;
  double elements_ = 1;
  std::vector<Option> options_;
};

}  // namespace

tir::Function choose_layouts(tir::Function function, PassContext& context) {
  const SizeValues sizes(function);
  const std::vector<StatementUses> uses = record_uses(function, sizes);
  for (uint32_t k = 0; k < function.tensors.size(); ++k) {
    const TensorId id(k);
    function.tensor(id).layout = Choosing(function, id, context, sizes, uses).run();
  }
  return function;
}

void share_layouts(const tir::Function& function, tir::Function& variant) {
  for (std::size_t k = 0; k < function.parameters.size(); ++k) {
    const auto* from = std::get_if<TensorId>(&function.parameters[k].what);
    const auto* to = std::get_if<TensorId>(&variant.parameters[k].what);
    if (from != nullptr && to != nullptr) variant.tensor(*to).layout = function.tensor(*from).layout;
  }
}

}  // namespace cdsl
