/* JSON comes from the database as one value; lists of names too, and a name that is none of them gets a hint. */
#include "cli/view/show.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/say.h"
#include "base/xalloc.h"

bool show_result(struct db *db, PGresult *result, struct err *err) {
  if (isatty(STDOUT_FILENO) == 1 && db_text(result, 0, 0)) {
    const char *text[] = {db_text(result, 0, 0)};
    PGresult *pretty;
    bool ok = db_run(db, DB_PRETTY, text, &pretty, err);
    PQclear(result);
    if (!ok) return false;
    result = pretty;
  }
  const char *json = db_text(result, 0, 0) ? db_text(result, 0, 0) : "null";
  say_json(stdout, json, strlen(json));
  PQclear(result);
  return true;
}

bool show_json(struct db *db, enum db_statement statement, const char *const *parameters, struct err *err) {
  PGresult *result;
  return db_run(db, statement, parameters, &result, err) && show_result(db, result, err);
}

bool show_list(struct db *db, const struct settings *settings, enum db_statement rows, enum db_statement json,
               const char *const *parameters, void (*print)(const PGresult *result), struct err *err) {
  PGresult *result;
  if (settings->json) return show_json(db, json, parameters, err);
  if (!db_run(db, rows, parameters, &result, err)) return false;
  print(result);
  PQclear(result);
  return true;
}

static bool is_listed(const char *name, const char *const *known, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(known[i], name) == 0) return true;
  return false;
}

static bool refuse_name(const struct db *db, const char *what, const char *lister, const char *name,
                        const char *const *known, int count, struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_FAILED, "%s: there is no %s '%s'", db->what, what, name);
  const char *best = nearest(name, known, (size_t)count);
  if (best) return err_hint(err, "did you mean %s?", best);
  if (count == 0) return err_hint(err, "there are none yet: a worker creates them when it deploys its flows");
  struct buf list = {0};
  for (int i = 0; i < count; i++) buf_printf(&list, "%s%s", i ? ", " : "", known[i]);
  err_hint(err, "known: %s; `luaflow %s` lists them", list.data, lister);
  buf_free(&list);
  return false;
}

bool show_check_names(struct db *db, enum db_statement statement, const char *what, const char *lister,
                      const char *const *names, int count, struct err *err) {
  PGresult *result;
  if (!db_run(db, statement, NULL, &result, err)) return false;
  int known_count = PQntuples(result);
  const char **known = xcalloc((size_t)known_count + 1, sizeof *known);
  for (int i = 0; i < known_count; i++) known[i] = db_text(result, i, 0);
  bool ok = true;
  for (int i = 0; i < count && ok; i++)
    ok = is_listed(names[i], known, known_count) || refuse_name(db, what, lister, names[i], known, known_count, err);
  free(known);
  PQclear(result);
  return ok;
}

char *show_array(const char *const *texts, int count) {
  struct buf out = {0};
  buf_printf(&out, "{");
  for (int i = 0; i < count; i++) {
    buf_printf(&out, "%s\"", i ? "," : "");
    for (const char *c = texts[i]; *c; c++) buf_printf(&out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    buf_printf(&out, "\"");
  }
  buf_printf(&out, "}");
  char *literal = xmemdup(out.data, out.len);
  buf_free(&out);
  return literal;
}

static bool refuse_verb(const char *command, const char *word, const struct verb *verbs, int count, struct err *err) {
  const char *names[8];
  for (int i = 0; i < count; i++) names[i] = verbs[i].name;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: there is no %s %s", command, command, word);
  const char *best = nearest(word, names, (size_t)count);
  if (best) return err_hint(err, "did you mean luaflow %s %s?", command, best);
  struct buf list = {0};
  for (int i = 0; i < count; i++)
    buf_printf(&list, "%s%s%s%s", i ? ", " : "", verbs[i].name, *verbs[i].arguments ? " " : "", verbs[i].arguments);
  err_hint(err, "after luaflow %s can follow: %s", command, list.data);
  buf_free(&list);
  return false;
}

void show_argument_missing(struct err *err, const char *command, const char *arguments, int given) {
  for (; given > 0 && strchr(arguments, ' '); given--) arguments = strchr(arguments, ' ') + 1;
  bool named = isupper((unsigned char)*arguments) != 0;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: an argument is missing%s%.*s", command, named ? ": " : "",
          named ? (int)strcspn(arguments, " ") : 0, arguments);
}

int show_find_verb(const struct call *call, const char *command, const struct verb *verbs, int count, struct err *err) {
  for (int i = 0; i < count; i++) {
    const struct verb *verb = &verbs[i];
    if (strcmp(call->argv[0], verb->name) != 0) continue;
    int given = call->argc - 1;
    if (given >= verb->least && given <= verb->most) return i;
    if (given < verb->least)
      show_argument_missing(err, command, verb->arguments, given);
    else
      err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s is one argument too many", command, call->argv[1 + verb->most]);
    err_hint(err, "usage: luaflow %s %s%s%s", command, verb->name, *verb->arguments ? " " : "", verb->arguments);
    return -1;
  }
  refuse_verb(command, call->argv[0], verbs, count, err);
  return -1;
}

/* 8-4-4-4-12 hexadecimal digits. */
bool show_check_run_id(const char *command, const char *text, struct err *err) {
  static const char pattern[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  bool ok = strlen(text) == strlen(pattern);
  for (size_t i = 0; ok && text[i]; i++)
    ok = pattern[i] == '-' ? text[i] == '-' : isxdigit((unsigned char)text[i]) != 0;
  if (ok) return true;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: \"%s\" is not a run id", command, text);
  return err_hint(err, "a run id looks like 0df6137f-8799-4cbb-b543-a9379bd3ff6f; luaflow runs lists them");
}
