// The names from the room `option` with which front ends write their tables of options.
#pragma once

#include "option/grammar.hpp"
#include "option/option.hpp"
#include "option/rows.hpp"

namespace muster::front {

using option::Again;
using option::Arity;
using option::Dashes;
using option::Glued;
using option::Grammar;
using option::joined;
using option::LateJobOption;
using option::names_of;
using option::Option;
using option::OptionText;
using option::OptionTexts;
using option::raise;
using option::Scope;
using option::store;
using option::Takes;
using option::Traits;
using option::Typed;
using table::no_effect;
using table::refused;

}  // namespace muster::front
