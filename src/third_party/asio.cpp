// Compiles Asio's implementation once for the whole program.
#include <asio/impl/src.hpp>
