/* luaflow runs: the latest runs, one a line. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/runview.h"

enum { ID_WIDTH = 36, STATUS_WIDTH = 9, STEPS_WIDTH = 9, TIME_WIDTH = 13, GAP = 2 };

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

static void put_row(struct line *line, const PGresult *result, int row, int flow_width) {
  char age[32], duration[32];
  int column = 0;
  format_duration(age, sizeof age, db_number(result, row, 3));
  format_duration(duration, sizeof duration, db_number(result, row, 4));
  line_put(line, TONE_PLAIN, db_text(result, row, 0));
  line_pad(line, column += ID_WIDTH + GAP);
  line_put(line, TONE_PLAIN, db_text(result, row, 1));
  line_pad(line, column += flow_width + GAP);
  line_put(line, tone_of(db_text(result, row, 2)), db_text(result, row, 2));
  line_pad(line, column += STATUS_WIDTH + GAP);
  line_printf(line, TONE_PLAIN, "%s of %s", db_text(result, row, 5), db_text(result, row, 6));
  line_pad(line, column += STEPS_WIDTH + GAP);
  line_put(line, TONE_PLAIN, duration);
  line_pad(line, column += TIME_WIDTH + GAP);
  line_printf(line, TONE_FAINT, "%s ago", age);
  const char *error = db_text(result, row, 8);
  if (error) line_pad(line, column + TIME_WIDTH + 4 + GAP);
  if (db_text(result, row, 7)) line_printf(line, TONE_BAD, "%s: ", db_text(result, row, 7));
  if (error) line_put(line, TONE_BAD, error);
  line_end(line);
}

static void put_header(struct line *line, int flow_width) {
  int column = 0;
  line_put(line, TONE_FAINT, "RUN");
  line_pad(line, column += ID_WIDTH + GAP);
  line_put(line, TONE_FAINT, "FLOW");
  line_pad(line, column += flow_width + GAP);
  line_put(line, TONE_FAINT, "STATUS");
  line_pad(line, column += STATUS_WIDTH + GAP);
  line_put(line, TONE_FAINT, "STEPS");
  line_pad(line, column += STEPS_WIDTH + GAP);
  line_put(line, TONE_FAINT, "TOOK");
  line_pad(line, column + TIME_WIDTH + GAP);
  line_put(line, TONE_FAINT, "STARTED");
  line_end(line);
}

static void print_table(const PGresult *result) {
  struct style style = style_of(STDOUT_FILENO);
  struct buf out = {0};
  struct line line = {.out = &out, .style = &style};
  int flow_width = (int)strlen("FLOW");
  for (int row = 0; row < PQntuples(result); row++)
    if (text_width(db_text(result, row, 1)) > flow_width) flow_width = text_width(db_text(result, row, 1));
  if (style.terminal) put_header(&line, flow_width);
  for (int row = 0; row < PQntuples(result); row++) put_row(&line, result, row, flow_width);
  if (out.len > 0) fwrite(out.data, 1, out.len, stdout);
  buf_free(&out);
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
  bool ok = db_run(&db, settings->json ? DB_RUNS_JSON : DB_RUNS, parameters, &result, &err);
  if (ok && settings->json)
    puts(db_text(result, 0, 0));
  else if (ok)
    print_table(result);
  if (ok) PQclear(result);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
