// Noise: first lines and foreign magic lines.
#include "link/noise.hpp"

#include "wire/frame.hpp"

namespace muster::link {
namespace {

constexpr std::size_t kLineMax = 120;
constexpr std::string_view kMagicWord = wire::kMagic.substr(0, wire::kMagic.rfind(' ') + 1);

std::string printable(std::string_view line) {
  std::string out(line.substr(0, kLineMax));
  for (char& byte : out)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = '?';
  return line.size() > kLineMax ? out + "..." : out;
}

}  // namespace

std::string first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  std::string_view line = text.substr(start, text.find_first_of("\r\n", start) - start);
  line.remove_suffix(line.size() - 1 - line.find_last_not_of(" \t"));
  return printable(line);
}

std::optional<std::string> other_protocol(std::string_view noise) {
  const std::size_t magic = noise.find(kMagicWord);
  if (magic == std::string_view::npos) return std::nullopt;
  const std::string_view after = noise.substr(magic + kMagicWord.size());
  const std::size_t end = after.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(after.substr(0, end));
}

base::Error other_protocol_error(std::string_view who, std::string_view protocol) {
  // A terminal in between adds a carriage return to each newline, and would spoil frames too.
  if (protocol.ends_with('\r'))
    return {base::Fault::unreachable,
            fmt::format("the bytes of {} come through a terminal", who),
            "let the ssh command ask for no terminal: no -t, no RequestTTY",
            {}};
  return {base::Fault::unreachable,
          fmt::format("{} speaks protocol {}, this muster speaks {}", who, printable(protocol),
                      wire::kProtocol),
          "install the same muster there, or name it with --agent-path",
          {}};
}

}  // namespace muster::link
