/* Prints one finding a line, with what to do below it. */
#include "cli/view/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/say.h"
#include "base/xalloc.h"
#include "cli/view/document.h"
#include "cli/view/style.h"

static const char *const level_names[] = {"ok", "warning", "problem"};

enum finding_level finding_level_parse(const char *text) {
  if (strcmp(text, level_names[FINDING_OK]) == 0) return FINDING_OK;
  return strcmp(text, level_names[FINDING_WARNING]) == 0 ? FINDING_WARNING : FINDING_PROBLEM;
}

void findings_add(struct findings *findings, const char *check, enum finding_level level, const char *message,
                  const char *hint, enum exit_code exit_code) {
  findings->list = xrealloc(findings->list, (size_t)(findings->count + 1) * sizeof *findings->list);
  findings->list[findings->count++] = (struct finding){.check = check,
                                                       .level = level,
                                                       .message = plain_copy(message, PLAIN_LINE),
                                                       .hint = hint && *hint ? plain_copy(hint, PLAIN_LINE) : NULL,
                                                       .exit_code = exit_code};
}

void findings_print(const struct findings *findings) {
  static const enum tone tones[] = {TONE_GOOD, TONE_BUSY, TONE_BAD};
  struct style style = style_of(STDOUT_FILENO);
  struct buf out = {0};
  for (int i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    buf_printf(&out, "%s%-7s%s  %-10s  %s\n", style_tone(&style, tones[finding->level]), level_names[finding->level],
               style_tone(&style, TONE_PLAIN), finding->check, finding->message);
    if (finding->hint) buf_printf(&out, "%21s%s\n", "", finding->hint);
  }
  say_drawn(stdout, &out);
  buf_free(&out);
}

void findings_print_json(const struct findings *findings) {
  yajl_gen json = document_begin();
  yajl_gen_array_open(json);
  for (int i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    const char *const members[] = {"check",   finding->check,   "level", level_names[finding->level],
                                   "message", finding->message, "hint",  finding->hint};
    yajl_gen_map_open(json);
    for (size_t at = 0; at < sizeof members / sizeof *members; at++) document_text(json, members[at]);
    yajl_gen_map_close(json);
  }
  yajl_gen_array_close(json);
  document_end(json);
}

enum exit_code findings_exit_code(const struct findings *findings) {
  enum exit_code code = EXIT_DONE;
  for (int i = 0; i < findings->count; i++)
    if (findings->list[i].level == FINDING_PROBLEM && findings->list[i].exit_code > code)
      code = findings->list[i].exit_code;
  return code;
}

void findings_free(struct findings *findings) {
  for (int i = 0; i < findings->count; i++) {
    free(findings->list[i].message);
    free(findings->list[i].hint);
  }
  free(findings->list);
  *findings = (struct findings){0};
}
