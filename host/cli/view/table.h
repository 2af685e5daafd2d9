/* Rows in aligned columns. On a terminal with titles and no wider than it: columns are left out, shortened, and cut
 * at last. Piped: the rows alone, whole. */
#ifndef LUAFLOW_CLI_VIEW_TABLE_H
#define LUAFLOW_CLI_VIEW_TABLE_H

#include "cli/view/style.h"

struct table_column {
  const char *title;
  int dropped; /* where room is short, columns are left out by this number, 1 first; 0: never */
  int least;   /* and shortened, from the right, to so many characters; 0: not */
  bool rest;   /* the last one: gets the room that is left, is left out where no row has it, and may be empty */
};

enum { TABLE_COLUMNS = 12 };

struct table_cell {
  enum tone tone;
  char *text;  /* owned */
  char *brief; /* owned, NULL: none */
};

struct table {
  const struct table_column *columns; /* borrowed */
  int column_count;
  struct table_cell *cells; /* owned; row by row */
  int cell_count, room;
};

/* An empty table of at most TABLE_COLUMNS columns. */
struct table table_begin(const struct table_column *columns, int column_count);
/* The next cell, row by row. NULL: there is nothing to tell, shown as a dash. */
void table_put(struct table *table, enum tone tone, const char *text);
void table_printf(struct table *table, enum tone tone, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A duration; ms < 0: nothing to tell. */
void table_put_duration(struct table *table, enum tone tone, long long ms, const char *behind);
/* What the cell put last shows instead where its text does not fit. */
void table_put_brief(struct table *table, const char *text);
/* Prints it to standard output and frees it. Where it has no row a terminal is told: nothing, such as "no run". */
void table_print(struct table *table, const char *nothing);

#endif
