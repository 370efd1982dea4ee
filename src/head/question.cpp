// Starts the program and collects what it says.
#include "head/question.hpp"

#include <algorithm>

#include "process/unique_fd.hpp"

namespace muster::head {
namespace {

constexpr std::size_t kAnswerMax = 64u << 10;
// What it has said lies in its pipe when it has ended.
constexpr base::Duration kNow{0};

}  // namespace

void Question::ask(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, base::Duration limit,
                   std::function<void(const std::string&)> answer) {
  end();
  said_.clear();
  auto child = process::Child::start(loop_, words, environment,
                                     [this, answer = std::move(answer)](process::ChildEnd ended) {
                                       out_->drain();
                                       const bool well = ended.code == 0 && ended.signal == 0;
                                       // Not from within the child, which goes.
                                       limit_.after(kNow, [this, well, answer] {
                                         end();
                                         if (well) answer(std::string(said_));
                                       });
                                     });
  if (!child) return;
  child_ = std::move(*child);
  child_->pipes().in = process::UniqueFd();
  out_ = std::make_shared<link::ByteReader>(
      loop_, std::move(child_->pipes().out),
      [this](std::string_view bytes) {
        said_ += bytes.substr(0, kAnswerMax - std::min(kAnswerMax, said_.size()));
      },
      [] {});
  out_->start();
  limit_.after(limit, [this] { end(); });
}

void Question::end() {
  limit_.stop();
  if (out_) out_->close();
  out_.reset();
  child_.reset();
}

}  // namespace muster::head
