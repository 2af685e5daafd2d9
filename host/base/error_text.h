/* Turns stored errors into what people read. */
#ifndef LUAFLOW_BASE_ERROR_TEXT_H
#define LUAFLOW_BASE_ERROR_TEXT_H

/* The message of an error table of luaflow's own calls that was stored as JSON, which has a kind and a message; any
 * other text as it is. Owned by the caller. */
char *error_text(const char *stored);

#endif
