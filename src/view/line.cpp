// Element names, attributes and the way to write bytes are those of Open MPI 4.1.
#include "view/line.hpp"

namespace muster::view {
namespace {

[[nodiscard]] std::string_view name_of(model::Stream stream) {
  return stream == model::Stream::out ? "stdout" : "stderr";
}

// Bytes of UTF-8 are left as they are: readers of XML know them.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (byte < 32 || byte == 127) {
      out += "&#";
      out += static_cast<char>('0' + byte / 100);
      out += static_cast<char>('0' + byte / 10 % 10);
      out += static_cast<char>('0' + byte % 10);
      out += ';';
    } else {
      out += c;
    }
  }
}

}  // namespace

void open_line(std::string& out, const model::OutputSpec& style, const Speaker& speaker,
               model::Stream stream, const WallTime& time) {
  if (!style.xml) return append_pattern(out, style.prefix, speaker, stream, time);
  static const model::Pattern kOpening = {{model::Field::text, "<"},
                                          {model::Field::stream},
                                          {model::Field::text, " rank=\""},
                                          {model::Field::rank},
                                          {model::Field::text, "\">"}};
  append_pattern(out, kOpening, speaker, stream, time);
}

void append_text(std::string& out, const model::OutputSpec& style, std::string_view text) {
  if (style.xml) {
    append_escaped(out, text);
  } else {
    out += text;
  }
}

void close_line(std::string& out, const model::OutputSpec& style, model::Stream stream) {
  if (!style.xml) return;
  out += "</";
  out += name_of(stream);
  out += ">\n";
}

}  // namespace muster::view
