/* Parameters of one statement: texts, and arrays in Postgres's binary form. Memory is owned by the set until
 * pg_params_free. */
#ifndef LUAFLOW_PG_PG_PARAMS_H
#define LUAFLOW_PG_PG_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Element types with their OIDs, which never change. */
enum pg_type {
  PG_BOOL = 16,
  PG_INT8 = 20,
  PG_INT4 = 23,
  PG_TEXT = 25,
  PG_FLOAT8 = 701,
  PG_UUID = 2950,
  PG_JSONB = 3802,
};

struct pg_array {
  struct buf bytes; /* room for the header, then the elements */
  enum pg_type type;
  int32_t count;
  bool has_null;
};

enum { PG_PARAMS_MAX = 9 };

struct pg_params {
  int count;
  char *texts[PG_PARAMS_MAX];            /* owned; NULL for an array or SQL null */
  struct pg_array arrays[PG_PARAMS_MAX]; /* type 0: not an array */
  const char *values[PG_PARAMS_MAX];     /* the last three are for libpq, filled by pg_params_finish */
  int lengths[PG_PARAMS_MAX];
  int formats[PG_PARAMS_MAX];
};

/* Each adds the next parameter. At most PG_PARAMS_MAX. */
void pg_param_text(struct pg_params *params, const char *text); /* copied; NULL is SQL null */
void pg_param_int(struct pg_params *params, int64_t value);
struct pg_array *pg_param_array(struct pg_params *params, enum pg_type type); /* empty at first */

/* Each appends one element; the array's type must be the one named. */
void pg_array_bool(struct pg_array *array, bool value);
void pg_array_int4(struct pg_array *array, int32_t value);
void pg_array_int8(struct pg_array *array, int64_t value);
void pg_array_float8(struct pg_array *array, double value);
void pg_array_text(struct pg_array *array, const char *bytes, size_t length);
void pg_array_jsonb(struct pg_array *array, const char *bytes, size_t length);
/* text in the usual form of 36 characters; false, and nothing appended, if it is not. */
bool pg_array_uuid(struct pg_array *array, const char *text);
void pg_array_null(struct pg_array *array);

/* Fills values, lengths and formats; nothing may be added afterwards. */
void pg_params_finish(struct pg_params *params);
void pg_params_free(struct pg_params *params);

#endif
