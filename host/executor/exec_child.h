/* The first moments of a program that a handler runs: the executable starts itself as `luaflow exec-child PROGRAM
 * [ARG...]`, since what is set here must be set in the new process. */
#ifndef LUAFLOW_EXECUTOR_EXEC_CHILD_H
#define LUAFLOW_EXECUTOR_EXEC_CHILD_H

/* Where the child reports, as an int, why the program could not be started. */
enum { EXEC_REPORT_FD = 3 };

/* Becomes the program, in a process group of its own, within the executor's session, and ended with the executor.
 * arguments: the program and what it gets, up to a NULL. Returns only the exit code of a failure. */
int exec_child_main(char **arguments);

#endif
