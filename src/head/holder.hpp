// Holder: a program that holds a run's hosts, and says when they are taken away.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "link/byte_reader.hpp"

namespace muster::head {

struct Holder {
  int says = -1;  // a pipe from it, which ends with it; not owned; -1: there is none
  // Of all that it has said: why the hosts are gone; empty: it does not say so.
  std::function<std::string(std::string_view said)> why_gone = {};
};

class HolderWatch {
 public:
  HolderWatch(asio::io_context& loop, Holder holder) : loop_(loop), holder_(std::move(holder)) {}
  ~HolderWatch() { end(); }
  HolderWatch(const HolderWatch&) = delete;
  HolderWatch& operator=(const HolderWatch&) = delete;

  // `gone` hears once why the hosts are gone.
  void start(std::function<void(const std::string&)> gone);

 private:
  void hear(std::string_view bytes);
  void tell(const std::string& why);
  void end();

  asio::io_context& loop_;
  Holder holder_;
  std::function<void(const std::string&)> gone_;
  std::shared_ptr<link::ByteReader> reader_;
  std::string said_;  // at most 64 KiB of it
};

}  // namespace muster::head
