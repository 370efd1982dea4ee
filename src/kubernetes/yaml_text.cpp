// Writes values with the emitter of libyaml, which no other file of this room knows.
#include <algorithm>
#include <yaml.h>

#include "kubernetes/text.hpp"

namespace muster::kubernetes {
namespace {

constexpr std::string_view kWords[] = {"y",     "n", "yes",  "no", "on", "off",  "true",
                                       "false", "~", "null", "=",  "<<", ".nan", ".inf"};

bool is_word_of_yaml(std::string_view text) {
  std::string small;
  for (const char c : text) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::ranges::find(kWords, small) != std::end(kWords);
}

// Numbers of all bases, times and dates; and some that are none of these, which does no harm.
bool is_like_number(std::string_view text) {
  const std::string_view rest = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (rest.empty()) return false;
  const bool begins = digit(rest.front()) || (rest.size() > 1 && rest[0] == '.' && digit(rest[1]));
  const auto fits = [&](char c) {
    return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
           std::string_view("xo_.:+-TZ ").find(c) != std::string_view::npos;
  };
  return (begins && std::ranges::all_of(rest, fits)) || rest == ".inf" || rest == ".Inf" ||
         rest == ".INF";
}

yaml_char_t* bytes_of(const std::string& text) {
  // libyaml copies what it is given, and takes no pointer to const.
  return reinterpret_cast<yaml_char_t*>(const_cast<char*>(text.data()));  // NOLINT
}

yaml_scalar_style_t style_of(const Value& value) {
  if (value.kind != Value::Kind::text) return YAML_PLAIN_SCALAR_STYLE;
  const std::string& text = value.text;
  const bool is_block =
      text.find('\n') != std::string::npos && !text.starts_with('\n') && !text.starts_with(' ');
  if (is_block) return YAML_LITERAL_SCALAR_STYLE;
  return needs_quotes(text) ? YAML_SINGLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE;
}

class Emitter {
 public:
  Emitter() {
    yaml_emitter_initialize(&emitter_);
    yaml_emitter_set_output(&emitter_, &Emitter::take, &text_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);
  }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter() { yaml_emitter_delete(&emitter_); }

  base::Result<std::string> documents(const std::vector<Value>& all) && {
    yaml_event_t event;
    good_ = yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) && emit(event);
    bool first = true;
    for (const Value& one : all) {
      if (good_) {
        const int implicit = first ? 1 : 0;
        good_ = yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, implicit) &&
                emit(event);
      }
      first = false;
      value(one);
      if (good_) good_ = yaml_document_end_event_initialize(&event, 1) && emit(event);
    }
    if (good_) good_ = yaml_stream_end_event_initialize(&event) && emit(event);
    if (good_) good_ = yaml_emitter_flush(&emitter_) == 1;
    if (good_) return std::move(text_);
    return base::fail(base::Fault::bad_file, "YAML is UTF-8", "a text is not UTF-8");
  }

 private:
  static int take(void* text, unsigned char* bytes, std::size_t size) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  bool emit(yaml_event_t& event) { return yaml_emitter_emit(&emitter_, &event) == 1; }

  void scalar(const std::string& text, yaml_scalar_style_t style) {
    yaml_event_t event;
    good_ = good_ &&
            yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes_of(text),
                                         static_cast<int>(text.size()), 1, 1, style) &&
            emit(event);
  }

  void list(const Value& value) {
    yaml_event_t event;
    const auto style = value.items.empty() ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
    good_ = good_ && yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, style) &&
            emit(event);
    for (const Value& item : value.items) this->value(item);
    good_ = good_ && yaml_sequence_end_event_initialize(&event) && emit(event);
  }

  void map(const Value& value) {
    yaml_event_t event;
    const auto style = value.fields.empty() ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
    good_ = good_ && yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, style) &&
            emit(event);
    for (const Field& field : value.fields) {
      scalar(field.name, style_of(Value(field.name)));
      this->value(field.value);
    }
    good_ = good_ && yaml_mapping_end_event_initialize(&event) && emit(event);
  }

  void value(const Value& value) {
    if (!good_) return;
    switch (value.kind) {
      case Value::Kind::nothing:
        return scalar("null", YAML_PLAIN_SCALAR_STYLE);
      case Value::Kind::boolean:
      case Value::Kind::number:
      case Value::Kind::text:
        return scalar(value.text, style_of(value));
      case Value::Kind::list:
        return list(value);
      case Value::Kind::object:
        return map(value);
    }
  }

  yaml_emitter_t emitter_{};
  std::string text_;
  bool good_ = true;
};

}  // namespace

bool needs_quotes(std::string_view text) {
  return text.empty() || is_word_of_yaml(text) || is_like_number(text);
}

base::Result<std::string> to_yaml(const std::vector<Value>& documents) {
  return Emitter().documents(documents);
}

}  // namespace muster::kubernetes
