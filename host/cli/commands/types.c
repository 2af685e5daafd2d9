/* luaflow types: writes the definitions of flows for editors, a file for each flow; touches no database. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/say.h"
#include "base/xalloc.h"
#include "cli/commands/commands.h"
#include "worker/pool/load.h"

struct file {
  char *path;
  bool changed; /* what is on the disk is not what it is to be */
};

static bool refuse(const char *path, const char *why, struct err *err) {
  return err_set(err, ERR_CONFIG, EXIT_USAGE, "types: %s: %s", path, why);
}

static bool make_folder(const char *folder, struct err *err) {
  char *path = xstrdup(folder);
  for (char *end = path + 1; *end; end++) {
    if (*end != '/') continue;
    *end = '\0';
    mkdir(path, 0777); /* what cannot be made here shows at the last one */
    *end = '/';
  }
  bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
  if (!made) refuse(folder, strerror(errno), err);
  free(path);
  return made;
}

/* The whole file; NULL with errno. */
static char *read_file(const char *path) {
  FILE *in = fopen(path, "re");
  if (!in) return NULL;
  struct buf text = {0};
  buf_reserve(&text, 1);
  char block[8192];
  size_t length;
  while ((length = fread(block, 1, sizeof block, in)) > 0) buf_put(&text, block, length);
  bool good = !ferror(in);
  fclose(in);
  buf_put_u8(&text, '\0');
  if (good) return text.data;
  buf_free(&text);
  return NULL;
}

/* Compares with what is there, which is replaced only if it is generated as well: if it has the same first line. */
static bool compare(struct file *file, const char *text, struct err *err) {
  char *old = read_file(file->path);
  if (!old && errno != ENOENT) return refuse(file->path, strerror(errno), err);
  file->changed = !old || strcmp(old, text) != 0;
  size_t header = strcspn(text, "\n");
  bool ours = !old || strncmp(old, text, header + 1) == 0;
  free(old);
  if (ours) return true;
  refuse(file->path, "a file that was not generated is there", err);
  return err_hint(err, "choose another folder with -o; nothing was written");
}

/* Whole or not at all. */
static bool write_file(const char *path, const char *text, struct err *err) {
  char *temporary = xasprintf("%s.new", path);
  FILE *out = fopen(temporary, "we");
  bool good = out && fputs(text, out) != EOF;
  if (out && fclose(out) != 0) good = false;
  good = good && rename(temporary, path) == 0;
  if (!good) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "types: %s: %s", path, strerror(errno));
    if (out) unlink(temporary);
  }
  free(temporary);
  return good;
}

static bool write_files(struct file *files, const struct load_report *report, const char *folder, struct err *err) {
  for (size_t i = 0; i < report->types_count; i++) {
    files[i].path = xasprintf("%s/%s", folder, report->types[i].name);
    if (!compare(&files[i], report->types[i].text, err)) return false;
  }
  if (!make_folder(folder, err)) return false;
  for (size_t i = 0; i < report->types_count; i++) {
    if (files[i].changed && !write_file(files[i].path, report->types[i].text, err)) return false;
    say(stdout, "%s: %s\n", files[i].path, files[i].changed ? "written" : "unchanged");
  }
  return true;
}

static bool refuse_problems(const struct load_report *report, struct err *err) {
  struct buf lines = {0};
  load_report_put_problems(report, &lines);
  say_text(stderr, lines.data, lines.len);
  buf_free(&lines);
  return err_set(err, ERR_CONFIG, EXIT_MODULES, "types: %zu problem%s", report->problem_count,
                 report->problem_count == 1 ? "" : "s");
}

static bool generate(const struct load_report *report, const char *folder, struct err *err) {
  if (report->problem_count > 0) return refuse_problems(report, err);
  struct file *files = xcalloc(report->types_count, sizeof *files);
  bool good = write_files(files, report, folder, err);
  for (size_t i = 0; i < report->types_count; i++) free(files[i].path);
  free(files);
  return good;
}

int command_types(const struct call *call) {
  struct load_options options = {.root = call->settings->root,
                                 .paths = (const char *const *)call->argv,
                                 .path_count = (size_t)call->argc,
                                 .types = true};
  struct load_report report;
  struct err err;
  if (!call->settings->output) {
    err_set(&err, ERR_CONFIG, EXIT_USAGE, "types: -o DIR is missing");
    err_hint(&err, "name the folder for the files: luaflow types flows -o types");
    return cli_fail(&err);
  }
  if (!load_flows(&options, &report, &err)) return cli_fail(&err);
  bool good = generate(&report, call->settings->output, &err);
  load_report_free(&report);
  return good ? EXIT_DONE : cli_fail(&err);
}
