/* The lines that a child writes to a pipe. */
#ifndef LUAFLOW_WORKER_POOL_OUTPUT_LINES_H
#define LUAFLOW_WORKER_POOL_OUTPUT_LINES_H

#include <uv.h>

struct output_lines;

/* The line has no newline, is terminated, and is cut into pieces where it is longer than 8 KiB. */
typedef void (*output_line)(void *owner, const char *line);

/* A pipe that is to be given to uv_spawn; read from output_lines_start on. ended is called once, when nothing more
 * comes. */
struct output_lines *output_lines_new(uv_loop_t *loop, output_line line, void (*ended)(void *owner), void *owner);
uv_stream_t *output_lines_stream(struct output_lines *lines);
void output_lines_start(struct output_lines *lines);
/* Closes and frees; nothing is called any more. */
void output_lines_close(struct output_lines *lines);

#endif
