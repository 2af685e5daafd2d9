/* A condition that only a bug can break, checked in every build, because continuing would do harm. */
#ifndef LUAFLOW_BASE_CHECK_H
#define LUAFLOW_BASE_CHECK_H

#define CHECK(condition) ((condition) ? (void)0 : check_failed(#condition, __FILE__, __LINE__))

/* Says where on stderr and aborts. */
_Noreturn void check_failed(const char *condition, const char *file, int line);

#endif
