// All carriers that there are.
#pragma once

#include "model/carrier_asked.hpp"
#include "model/carrier_called.hpp"
#include "model/carrier_contained.hpp"
#include "model/carrier_fake_node.hpp"
#include "model/carrier_joined.hpp"
#include "model/carrier_local.hpp"
#include "model/carrier_opened.hpp"
#include "model/carrier_step.hpp"
