// expect_golden: compares text with the expected text kept in the repository.
#pragma once

#include <string>

namespace muster::golden {

// Expects `actual` to be what tests/golden/data/FILE holds, byte for byte. With UPDATE_GOLDEN=1 in
// the environment the file is rewritten instead and the test is marked as skipped, so that an
// update never passes for a check.
void expect_golden(const std::string& file_below_data, const std::string& actual);

}  // namespace muster::golden
