/* By whole codes and by classes, their first two characters. */
#include "base/sqlstate.h"

#include <string.h>

static bool begins_with_one_of(const char *sqlstate, const char *const *beginnings) {
  for (; *beginnings; beginnings++)
    if (strncmp(sqlstate, *beginnings, strlen(*beginnings)) == 0) return true;
  return false;
}

#define IS_ONE_OF(sqlstate, ...) begins_with_one_of(sqlstate, (const char *const[]){__VA_ARGS__, NULL})

bool sqlstate_lacks_object(const char *sqlstate) { return IS_ONE_OF(sqlstate, "3F000", "42P01", "42883", "42703"); }

bool sqlstate_lacks_schema(const char *sqlstate) { return IS_ONE_OF(sqlstate, "3F000"); }

bool sqlstate_lacks_flow(const char *sqlstate) { return IS_ONE_OF(sqlstate, "23503"); }

bool sqlstate_is_duplicate(const char *sqlstate) { return IS_ONE_OF(sqlstate, "23505", "42P06", "42710"); }

bool sqlstate_is_of_state(const char *sqlstate) { return IS_ONE_OF(sqlstate, "55000"); }

bool sqlstate_is_locked_out(const char *sqlstate) { return IS_ONE_OF(sqlstate, SQLSTATE_LOCKED_OUT); }

bool sqlstate_is_aborted(const char *sqlstate) { return IS_ONE_OF(sqlstate, SQLSTATE_ABORTED); }

bool sqlstate_is_foreign_schema(const char *sqlstate) { return IS_ONE_OF(sqlstate, "LF001"); }

bool sqlstate_is_hidden_schema(const char *sqlstate) { return IS_ONE_OF(sqlstate, "LF005"); }

bool sqlstate_is_stale_claim(const char *sqlstate) { return IS_ONE_OF(sqlstate, "LF001"); }

bool sqlstate_ends_run(const char *sqlstate) { return IS_ONE_OF(sqlstate, "LF003"); }

bool sqlstate_lacks_right(const char *sqlstate) { return IS_ONE_OF(sqlstate, "42501"); }

bool sqlstate_is_read_only(const char *sqlstate) { return IS_ONE_OF(sqlstate, "25006"); }

bool sqlstate_is_of_pooler(const char *sqlstate) { return IS_ONE_OF(sqlstate, "26000", "42P05"); }

bool sqlstate_is_conflict(const char *sqlstate) { return IS_ONE_OF(sqlstate, "40"); }

bool sqlstate_ends_connection(const char *sqlstate) { return IS_ONE_OF(sqlstate, "08", "57P"); }

bool sqlstate_is_of_connection(const char *sqlstate) {
  return IS_ONE_OF(sqlstate, "08") && !IS_ONE_OF(sqlstate, "08P01");
}

bool sqlstate_refuses_for_good(const char *sqlstate) { return IS_ONE_OF(sqlstate, "28", "3D", "42"); }

bool sqlstate_may_be_of_library(const char *sqlstate) { return IS_ONE_OF(sqlstate, "58P01", "42501"); }

bool sqlstate_is_condition(const char *sqlstate) { return IS_ONE_OF(sqlstate, "25", "53", "55", "57"); }

bool sqlstate_is_shortage(const char *sqlstate) { return IS_ONE_OF(sqlstate, "53"); }

bool sqlstate_is_of_server(const char *sqlstate) { return IS_ONE_OF(sqlstate, "08", "25", "42501", "53", "57", "58"); }

bool sqlstate_is_of_data(const char *sqlstate) { return IS_ONE_OF(sqlstate, "22", "23", "54"); }

bool sqlstate_may_pass(const char *sqlstate) {
  return IS_ONE_OF(sqlstate, "08", "25", "40", "42501", "53", "55", "57", "58");
}
