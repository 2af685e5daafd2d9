/* Symbolic links on the way to a file: what a path leads to changes with each of them. */
#ifndef LUAFLOW_WORKER_SOURCE_LINKS_H
#define LUAFLOW_WORKER_SOURCE_LINKS_H

/* Reports the folder of every link on the way to path, links behind links included; path may be relative and need not
 * exist. */
void links_each_folder(const char *path, void (*report)(void *owner, const char *folder), void *owner);

#endif
