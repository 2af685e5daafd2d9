/* luaflow runs: the latest runs, one a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/runview.h"

enum column { COLUMN_RUN, COLUMN_FLOW, COLUMN_STATUS, COLUMN_STEPS, COLUMN_TOOK, COLUMN_STARTED, COLUMN_COUNT };
enum { GAP = 2, LEAST_FLOW = 8, LEAST_RUN = 9, LEAST_REASON = 16, CELL_SIZE = 256 /* a slug has 128 bytes at most */ };

static const char *const titles[COLUMN_COUNT] = {"RUN", "FLOW", "STATUS", "STEPS", "TOOK", "STARTED"};

struct table {
  const PGresult *result;
  int widths[COLUMN_COUNT]; /* 0: left out */
  int reason_width;         /* of the longest error; 0: there is none */
  int room;
};

static enum tone tone_of(const char *status) {
  switch (run_status_parse(status)) {
    case RUN_STARTED:
      return TONE_BUSY;
    case RUN_COMPLETED:
      return TONE_GOOD;
    case RUN_FAILED:
    case RUN_CANCELLED:
      return TONE_BAD;
  }
  return TONE_PLAIN;
}

static void format_cell(char *out, size_t size, const PGresult *result, int row, enum column column) {
  char time[32];
  switch (column) {
    case COLUMN_RUN:
    case COLUMN_FLOW:
    case COLUMN_STATUS:
      snprintf(out, size, "%s", db_text(result, row, (int)column));
      return;
    case COLUMN_STEPS:
      snprintf(out, size, "%s of %s", db_text(result, row, 5), db_text(result, row, 6));
      return;
    case COLUMN_TOOK:
      format_duration(out, size, db_number(result, row, 4));
      return;
    case COLUMN_STARTED:
      format_duration(time, sizeof time, db_number(result, row, 3));
      snprintf(out, size, "%s ago", time);
      return;
    case COLUMN_COUNT:
      return;
  }
}

/* Why the run failed, owned by the caller; NULL if it did not. */
static char *make_reason(const PGresult *result, int row) {
  const char *step = db_text(result, row, 7), *error = db_text(result, row, 8);
  if (!error) return NULL;
  return step ? xasprintf("%s: %s", step, error) : xstrdup(error);
}

static void measure(struct table *table, bool titled) {
  char cell[CELL_SIZE];
  for (int column = 0; column < COLUMN_COUNT; column++) {
    int *width = &table->widths[column];
    *width = titled ? text_width(titles[column]) : 0;
    for (int row = 0; row < PQntuples(table->result); row++) {
      format_cell(cell, sizeof cell, table->result, row, (enum column)column);
      if (text_width(cell) > *width) *width = text_width(cell);
    }
  }
  for (int row = 0; row < PQntuples(table->result); row++) {
    char *reason = make_reason(table->result, row);
    if (reason && text_width(reason) > table->reason_width) table->reason_width = text_width(reason);
    free(reason);
  }
}

/* How much wider the table is than its room, with a little of the reasons. */
static int excess(const struct table *table) {
  int width = table->reason_width < LEAST_REASON ? table->reason_width : LEAST_REASON;
  for (int i = 0; i < COLUMN_COUNT; i++)
    if (table->widths[i] > 0) width += table->widths[i] + GAP;
  if (table->reason_width == 0) width -= GAP;
  return width > table->room ? width - table->room : 0;
}

static void shorten(struct table *table, enum column column, int least) {
  int *width = &table->widths[column];
  int shorter = *width - excess(table);
  if (*width > least) *width = shorter > least ? shorter : least;
}

/* Status and reason stay whatever happens. */
static void fit(struct table *table) {
  static const enum column dropped[] = {COLUMN_STEPS, COLUMN_TOOK, COLUMN_STARTED};
  for (size_t i = 0; i < sizeof dropped / sizeof *dropped && excess(table) > 0; i++) table->widths[dropped[i]] = 0;
  shorten(table, COLUMN_FLOW, LEAST_FLOW);
  shorten(table, COLUMN_RUN, LEAST_RUN);
}

/* With too little room the reason alone, without its step and its place in the file. */
static void put_reason(struct line *line, const struct table *table, int row) {
  char *reason = make_reason(table->result, row);
  if (!reason) return;
  const char *shown = reason;
  if (text_width(reason) > table->room - line->column) {
    const char *error = db_text(table->result, row, 8);
    const char *place = strstr(error, ".lua:");
    const char *end = place ? place + strlen(".lua:") : NULL;
    if (end) end += strspn(end, "0123456789");
    shown = end && strncmp(end, ": ", 2) == 0 && !memchr(error, ' ', (size_t)(end - error)) ? end + 2 : error;
  }
  line_put(line, TONE_BAD, shown);
  free(reason);
}

/* A row of the result, or with row < 0 the titles. */
static void put_row(struct line *line, const struct table *table, int row) {
  int end = 0;
  for (int column = 0; column < COLUMN_COUNT; column++) {
    char cell[CELL_SIZE];
    if (table->widths[column] == 0) continue;
    enum tone tone = row < 0 || column == COLUMN_STARTED ? TONE_FAINT : TONE_PLAIN;
    if (row >= 0 && column == COLUMN_STATUS) tone = tone_of(db_text(table->result, row, 2));
    if (row >= 0) format_cell(cell, sizeof cell, table->result, row, (enum column)column);
    line_pad(line, end);
    line_put_within(line, tone, row < 0 ? titles[column] : cell, table->widths[column]);
    end += table->widths[column] + GAP;
  }
  if (row >= 0 && db_text(table->result, row, 8)) {
    line_pad(line, end);
    put_reason(line, table, row);
  }
  line_end(line);
}

static void print_table(const PGresult *result) {
  struct style style = style_of(STDOUT_FILENO);
  struct buf out = {0};
  struct line line = {.out = &out, .style = &style};
  struct table table = {.result = result, .room = style.width - 1};
  measure(&table, style.terminal);
  fit(&table);
  for (int row = style.terminal ? -1 : 0; row < PQntuples(result); row++) put_row(&line, &table, row);
  if (out.len > 0) fwrite(out.data, 1, out.len, stdout);
  buf_free(&out);
}

static bool check_flow(struct db *db, const char *flow, struct err *err) {
  PGresult *result;
  if (!flow) return true;
  if (!db_run(db, DB_KNOWN_FLOWS, &flow, &result, err)) return false;
  bool known = db_bool(result, 0, 0);
  if (!known) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "runs: there is no flow or alias '%s'", flow);
    if (db_text(result, 0, 1)) err_hint(err, "known: %s", db_text(result, 0, 1));
  }
  PQclear(result);
  return known;
}

int command_runs(const struct call *call) {
  const struct settings *settings = call->settings;
  char limit[32];
  snprintf(limit, sizeof limit, "%lld", (long long)settings->limit);
  const char *parameters[] = {settings->flow, settings->status, limit};
  struct db db;
  struct err err;
  PGresult *result;
  if (!client_connect_to_schema(settings, "runs", &db, &err)) return cli_fail(&err);
  bool ok = check_flow(&db, settings->flow, &err) &&
            db_run(&db, settings->json ? DB_RUNS_JSON : DB_RUNS, parameters, &result, &err);
  if (ok && settings->json)
    puts(db_text(result, 0, 0));
  else if (ok)
    print_table(result);
  if (ok) PQclear(result);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
