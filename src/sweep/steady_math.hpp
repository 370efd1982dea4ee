// Functions that give the same bits on every machine: they use only what IEEE 754 rounds exactly,
// unlike a C library's exp and log. A sweep's seed shall mean the same trials everywhere.
#pragma once

namespace muster::sweep {

// To about 15 digits. Of numbers that a double cannot hold: infinity, or 0.
[[nodiscard]] double exp_of(double x);
// Of x > 0.
[[nodiscard]] double log_of(double x);
// Of 0 < p < 1: where the standard normal distribution has reached p. Wichura's algorithm AS 241
// (Applied Statistics 37, 1988), PPND16.
[[nodiscard]] double normal_quantile(double p);
// How much of the standard normal distribution lies below x, to about 7 digits: Abramowitz and
// Stegun, formula 26.2.17.
[[nodiscard]] double normal_share(double x);

}  // namespace muster::sweep
