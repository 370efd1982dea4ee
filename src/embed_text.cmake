# Writes the text of FILE as a C++ constant NAME of ROOM, declared by HEADER, to OUTPUT.
file(READ ${FILE} text)
file(WRITE ${OUTPUT} "// Made from ${HEADER} by the build.
#include \"${HEADER}\"

namespace muster::${ROOM} {

const std::string_view ${NAME} = R\"embedded(${text})embedded\";

}  // namespace muster::${ROOM}
")
