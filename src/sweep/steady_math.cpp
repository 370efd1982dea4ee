// Series, a rational approximation, and exact scaling by powers of two.
#include "sweep/steady_math.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace muster::sweep {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458;
// ln 2 in two parts: a whole number times the first has no error.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;

double polynomial(double x, std::span<const double> from_highest) {
  double sum = 0;
  for (const double factor : from_highest) sum = sum * x + factor;
  return sum;
}

// AS 241, highest powers first; the lowest of each divisor is 1.
constexpr std::array kMiddle = {2.5090809287301226727e3, 3.3430575583588128105e4,
                                6.7265770927008700853e4, 4.5921953931549871457e4,
                                1.3731693765509461125e4, 1.9715909503065514427e3,
                                1.3314166789178437745e2, 3.3871328727963666080e0};
constexpr std::array kMiddleBelow = {5.2264952788528545610e3, 2.8729085735721942674e4,
                                     3.9307895800092710610e4, 2.1213794301586595867e4,
                                     5.3941960214247511077e3, 6.8718700749205790830e2,
                                     4.2313330701600911252e1, 1.0};
constexpr std::array kNear = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                              2.41780725177450611770e-1, 1.27045825245236838258e0,
                              3.64784832476320460504e0,  5.76949722146069140550e0,
                              4.63033784615654529590e0,  1.42343711074968357734e0};
constexpr std::array kNearBelow = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                   1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                   6.89767334985100004550e-1, 1.67638483018380384940e0,
                                   2.05319162663775882187e0,  1.0};
constexpr std::array kFar = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                             1.24266094738807843860e-3, 2.65321895265761230930e-2,
                             2.96560571828504891230e-1, 1.78482653991729133580e0,
                             5.46378491116411436990e0,  6.65790464350110377720e0};
constexpr std::array kFarBelow = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                  1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                  1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                  5.99832206555887937690e-1,  1.0};

}  // namespace

double exp_of(double x) {
  if (std::isnan(x)) return x;
  constexpr double kMost = 709.78;
  constexpr double kLeast = -745.2;
  if (x > kMost) return std::numeric_limits<double>::infinity();
  if (x < kLeast) return 0;
  const double twos = std::floor(x / kLn2 + 0.5);
  const double rest = (x - twos * kLn2High) - twos * kLn2Low;  // at most ln(2)/2 either way
  double term = 1;
  double sum = 0;
  constexpr int kTerms = 18;
  for (int i = 1; i <= kTerms; ++i) {
    term *= rest / i;
    sum += term;
  }
  return std::ldexp(1 + sum, static_cast<int>(twos));
}

double log_of(double x) {
  int twos = 0;
  double part = std::frexp(x, &twos);  // from 0.5 to 1
  constexpr double kRootHalf = 0.70710678118654752440;
  if (part < kRootHalf) {
    part *= 2;
    --twos;
  }
  // log(p) = 2 artanh((p - 1) / (p + 1))
  const double ratio = (part - 1) / (part + 1);
  const double square = ratio * ratio;
  double power = ratio;
  double sum = 0;
  constexpr int kLast = 25;
  for (int i = 1; i <= kLast; i += 2) {
    sum += power / i;
    power *= square;
  }
  return twos * kLn2High + (2 * sum + twos * kLn2Low);
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  constexpr double kMiddleWidth = 0.425;
  if (std::fabs(q) <= kMiddleWidth) {
    const double r = kMiddleWidth * kMiddleWidth - q * q;
    return q * polynomial(r, kMiddle) / polynomial(r, kMiddleBelow);
  }
  const double tail = std::sqrt(-log_of(q < 0 ? p : 1 - p));
  const bool near = tail <= 5;
  const double r = tail - (near ? 1.6 : 5.0);
  const double x = near ? polynomial(r, kNear) / polynomial(r, kNearBelow)
                        : polynomial(r, kFar) / polynomial(r, kFarBelow);
  return q < 0 ? -x : x;
}

double normal_share(double x) {
  const double t = 1 / (1 + 0.2316419 * std::fabs(x));
  constexpr std::array kFactors = {1.330274429,  -1.821255978, 1.781477937,
                                   -0.356563782, 0.319381530,  0.0};
  constexpr double kDensityAtZero = 0.39894228040143267794;
  const double above = kDensityAtZero * exp_of(-x * x / 2) * polynomial(t, kFactors);
  return x < 0 ? above : 1 - above;
}

}  // namespace muster::sweep
