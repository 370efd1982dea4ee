// The types of inputs, and whether a value is of its type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/key.hpp"

namespace muster::job {

enum class InputType : std::uint8_t { text, number, integer, boolean, choice, path };

// Nothing for a word that is no type. Without a word, the value decides.
[[nodiscard]] std::optional<InputType> type_of(const Input& input, Dialect dialect);

// The type of a folder with an MLTable file, which names the data.
inline constexpr std::string_view kTableType = "mltable";
[[nodiscard]] bool is_table(const std::optional<Text>& type);

// Complains about a word that is no type of an input or output: "outputs.model".
void check_type(std::string_view what, const std::optional<Text>& type, Dialect dialect,
                Complaints& complaints);

// What is wrong with a text as the value of an input: its type, its bounds, its choices.
[[nodiscard]] std::optional<Misfit> misfit(const Input& input, InputType type,
                                           std::string_view value);

}  // namespace muster::job
