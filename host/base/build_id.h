/* Says which build this program is, so that host and executors can check that they are the same one. */
#ifndef LUAFLOW_BASE_BUILD_ID_H
#define LUAFLOW_BASE_BUILD_ID_H

/* The linker's hash over the whole program (code, data and the files inside it) in hexadecimal; "unknown" if it was
 * linked without one. */
const char *build_id(void);

#endif
