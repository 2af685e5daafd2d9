/* The program's version; CMakeLists.txt reads it here. */
#ifndef LUAFLOW_BASE_VERSION_H
#define LUAFLOW_BASE_VERSION_H

#define LUAFLOW_VERSION "0.2.0"

#endif
