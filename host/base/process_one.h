/* Process 1 of a container. */
#ifndef LUAFLOW_BASE_PROCESS_ONE_H
#define LUAFLOW_BASE_PROCESS_ONE_H

/* Does nothing unless this is process 1. Else the program continues in a child, and this process stays behind: it
 * passes signals on, reaps every orphan of the container, and exits as the child does; it shows no arguments, which
 * may hold a password. Call it before threads, files and handlers exist. */
void process_leave_pid_one(int argc, char **argv);

#endif
