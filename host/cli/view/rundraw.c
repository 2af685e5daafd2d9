/* Draws a run as lines: its own, then its steps as a tree, each under the last of the steps that it waits for. */
#include <stdlib.h>
#include <string.h>

#include "base/width.h"
#include "base/xalloc.h"
#include "cli/view/line.h"
#include "cli/view/runview.h"

enum { BAR = 20 /* characters of put_bar */, DEEPEST = 12, GAP = 2, STATE_WIDTH = 30 };

struct drawing {
  const struct runview *view;
  struct line line;
  int lines_left; /* for steps */
  int name_end;   /* the column behind the longest name */
  int hidden;     /* steps that got no line */
};

struct mark {
  const char *unicode;
  const char *plain;
  enum tone tone;
};

/* A step that had not ended when its run did does not continue. */
static struct mark mark_of(const struct runview_step *step, enum run_status run) {
  switch (step->status) {
    case STEP_CREATED:
      return (struct mark){"○", ".", TONE_FAINT};
    case STEP_STARTED:
      if (run != RUN_STARTED) return (struct mark){"⊘", "-", TONE_FAINT};
      return (struct mark){"●", ">", step->is_map || step->phase == PHASE_RUNNING ? TONE_BUSY : TONE_FAINT};
    case STEP_COMPLETED:
      return (struct mark){"✓", "+", TONE_GOOD};
    case STEP_FAILED:
      return (struct mark){"✗", "x", TONE_BAD};
    case STEP_SKIPPED:
      return (struct mark){"⊘", "-", TONE_FAINT};
  }
  return (struct mark){"?", "?", TONE_PLAIN};
}

enum tone run_status_tone(enum run_status status) {
  switch (status) {
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

static int depth_of(const struct runview *view, int index) {
  int depth = 0;
  while ((index = view->steps[index].parent) >= 0) depth++;
  return depth < DEEPEST ? depth : DEEPEST;
}

static bool has_later_sibling(const struct runview *view, int index) {
  for (int i = index + 1; i < view->step_count; i++)
    if (view->steps[i].parent == view->steps[index].parent) return true;
  return false;
}

/* The branches that lead to a step: one piece for each level above it, then its own. */
static void put_branches(struct drawing *drawing, int index) {
  const struct runview *view = drawing->view;
  bool unicode = drawing->line.style->unicode;
  const char *pieces[DEEPEST + 1];
  int count = 0;
  const char *corner = unicode ? "└─ " : "`- ";
  const char *branch = unicode ? "├─ " : "|- ";
  const char *through = unicode ? "│  " : "|  ";
  pieces[count++] = has_later_sibling(view, index) ? branch : corner;
  for (int above = view->steps[index].parent; above >= 0 && count <= DEEPEST; above = view->steps[above].parent)
    pieces[count++] = has_later_sibling(view, above) ? through : "   ";
  while (count > 0) line_put(&drawing->line, TONE_FAINT, pieces[--count]);
}

static void put_bar(struct line *line, long long done, long long all) {
  int full = all > 0 ? (int)(done * BAR / all) : BAR;
  line_put(line, TONE_PLAIN, "[");
  line_printf(line, TONE_GOOD, "%.*s", full, "####################");
  line_printf(line, TONE_FAINT, "%.*s", BAR - full, "--------------------");
  line_put(line, TONE_PLAIN, "] ");
}

/* "3 of 10 tasks, 1 failed" */
static void put_counts(struct line *line, const struct runview_step *step) {
  if (step->status == STEP_COMPLETED)
    line_printf(line, TONE_PLAIN, "%lld task%s", step->tasks, step->tasks == 1 ? "" : "s");
  else
    line_printf(line, TONE_PLAIN, "%lld of %lld tasks", step->tasks - step->left, step->tasks);
  if (step->failed > 0) line_printf(line, TONE_BAD, ", %lld failed", step->failed);
}

static void put_tasks(struct line *line, const struct runview_step *step, bool run_goes_on) {
  if (!step->is_map || step->tasks < 0) return;
  if (step->status == STEP_STARTED && run_goes_on) put_bar(line, step->tasks - step->left, step->tasks);
  put_counts(line, step);
  line_put(line, TONE_PLAIN, "  ");
}

/* "attempt 1 of 3 failed, next in 8.0 s" */
static void put_failed_attempt(struct line *line, const struct runview_step *step, long long attempts) {
  char duration[32];
  format_duration(duration, sizeof duration, step->next_ms);
  line_printf(line, TONE_PLAIN, "attempt %lld of %lld failed", attempts, step->most_attempts);
  if (step->next_ms > 0)
    line_printf(line, TONE_PLAIN, ", next in %s", duration);
  else
    line_put(line, TONE_PLAIN, ", will be retried");
}

static void put_failing_task(struct line *line, const struct runview_step *step) {
  line_printf(line, TONE_PLAIN, "%s: ", step->failing);
  if (step->phase == PHASE_RUNNING)
    line_printf(line, TONE_PLAIN, "attempt %lld of %lld is running", step->failing_attempts, step->most_attempts);
  else
    put_failed_attempt(line, step, step->failing_attempts);
}

static void put_started(struct line *line, const struct runview_step *step, const char *duration) {
  enum task_phase phase = step->is_map ? PHASE_RUNNING : step->phase;
  switch (phase) {
    case PHASE_QUEUED:
      line_put(line, TONE_FAINT, "queued  ");
      break;
    case PHASE_RUNNING:
      if (!step->is_map) line_put(line, TONE_BUSY, "running  ");
      break;
    case PHASE_RETRYING:
      put_failed_attempt(line, step, step->attempts);
      line_put(line, TONE_PLAIN, "  ");
      break;
    case PHASE_SNOOZED:
      line_put(line, TONE_FAINT, "snoozed  ");
      break;
  }
  line_put_whole(line, TONE_PLAIN, duration);
  if (step->unserved) line_printf(line, TONE_BUSY, "  no live worker serves queue %s", step->unserved);
  if (step->failing) {
    line_put(line, TONE_PLAIN, "  ");
    put_failing_task(line, step);
  } else if (phase == PHASE_RUNNING && step->attempts > 1) {
    line_printf(line, TONE_PLAIN, "  attempt %lld of %lld", step->attempts, step->most_attempts);
  }
  if (step->error) line_printf(line, TONE_FAINT, "  %s", step->error);
}

static const char *skip_words(const char *reason) {
  if (!reason) return "";
  if (strcmp(reason, "condition_unmet") == 0) return ": its condition is not met";
  if (strcmp(reason, "handler_failed") == 0) return ": its handler failed";
  return strcmp(reason, "dependency_skipped") == 0 ? ": a step that it needs was skipped" : "";
}

/* A step that had not ended when its run did is shown as such. */
static void put_state(struct line *line, const struct runview_step *step, enum run_status run) {
  bool run_goes_on = run == RUN_STARTED;
  char duration[32];
  format_duration(duration, sizeof duration, step->ms);
  put_tasks(line, step, run_goes_on);
  switch (step->status) {
    case STEP_CREATED:
      line_put(line, TONE_FAINT, run_goes_on ? "waiting" : "not reached");
      return;
    case STEP_STARTED:
      if (run_goes_on)
        put_started(line, step, duration);
      else
        line_put(line, TONE_FAINT, run == RUN_CANCELLED ? "cancelled" : "given up");
      return;
    case STEP_COMPLETED:
      if (step->kept) line_put(line, TONE_FAINT, "kept from the retried run: ");
      line_put_whole(line, TONE_PLAIN, step->ms >= 0 ? duration : "nothing to do");
      break;
    case STEP_FAILED:
      line_put_whole(line, TONE_BAD, step->ms >= 0 ? "failed after " : "failed");
      if (step->ms >= 0) line_put_whole(line, TONE_BAD, duration);
      break;
    case STEP_SKIPPED:
      line_printf(line, TONE_FAINT, "skipped%s", skip_words(step->skip_reason));
      break;
  }
  if (step->attempts > 1)
    line_printf(line, TONE_BUSY, "  %s%lld attempts", step->is_map ? "up to " : "", step->attempts);
  if (step->error && (step->status != STEP_COMPLETED || step->failed > 0))
    line_printf(line, TONE_BAD, "  %s", step->error);
}

/* The steps that it waits for, except the one that it is drawn under. */
static void put_other_dependencies(struct line *line, const struct runview_step *step) {
  const char *last = step->dependencies ? strrchr(step->dependencies, ' ') : NULL;
  if (last) line_printf(line, TONE_FAINT, "  (also after %.*s)", (int)(last - step->dependencies), step->dependencies);
}

/* Behind the names there is room for the states. */
static int longest_name_end(const struct style *style) {
  int half = style->width / 2;
  return half > style->width - STATE_WIDTH ? half : style->width - STATE_WIDTH;
}

static void draw_step(struct drawing *drawing, int index) {
  const struct runview_step *step = &drawing->view->steps[index];
  struct line *line = &drawing->line;
  struct mark mark = mark_of(step, drawing->view->status);
  if (drawing->lines_left == 0) {
    drawing->hidden++;
    return;
  }
  drawing->lines_left--;
  put_branches(drawing, index);
  line_printf(line, mark.tone, "%s ", line->style->unicode ? mark.unicode : mark.plain);
  line_put_within(line, TONE_PLAIN, step->slug, longest_name_end(line->style) - line->column);
  line_pad(line, GAP + (line->column > drawing->name_end ? line->column : drawing->name_end));
  put_state(line, step, drawing->view->status);
  put_other_dependencies(line, step);
  line_end(line);
}

static void draw_children(struct drawing *drawing, int parent) {
  for (int i = 0; i < drawing->view->step_count; i++) {
    if (drawing->view->steps[i].parent != parent) continue;
    draw_step(drawing, i);
    draw_children(drawing, i);
  }
}

/* With too little room the steps that are done give way to those that go on. */
static void draw_active(struct drawing *drawing) {
  drawing->hidden = 0;
  for (int i = 0; i < drawing->view->step_count; i++) {
    const struct runview_step *step = &drawing->view->steps[i];
    if (step->status == STEP_STARTED || step->status == STEP_FAILED)
      draw_step(drawing, i);
    else
      drawing->hidden++;
  }
}

static void draw_link(struct line *line, const char *words, const char *run_id) {
  line_printf(line, TONE_FAINT, "%s %s", words, run_id);
  line_end(line);
}

/* Returns how many lines. */
static int draw_run(struct line *line, const struct runview *view) {
  char duration[32], age[32];
  format_duration(duration, sizeof duration, view->ms);
  format_duration(age, sizeof age, view->age);
  line_printf(line, TONE_PLAIN, "%s  ", view->flow_slug);
  line_printf(line, TONE_FAINT, "%s  ", view->run_id);
  line_put(line, run_status_tone(view->status), run_status_name(view->status));
  line_put(line, TONE_PLAIN, view->status == RUN_STARTED ? "  " : "  in ");
  line_put_whole(line, TONE_PLAIN, duration);
  if (view->status != RUN_STARTED && view->age - view->ms > 5000) {
    line_put(line, TONE_FAINT, "  started ");
    line_put_whole(line, TONE_FAINT, age);
    line_put(line, TONE_FAINT, " ago");
  }
  if (view->error && !view->error_step) line_printf(line, TONE_BAD, "  %s", view->error);
  line_end(line);
  if (view->restart_of) draw_link(line, "a retry of", view->restart_of);
  if (view->restarted_as) draw_link(line, "retried as", view->restarted_as);
  return 1 + (view->restart_of != NULL) + (view->restarted_as != NULL);
}

int runview_draw(const struct runview *view, const struct style *style, int most_lines, struct buf *out) {
  struct drawing drawing = {.view = view, .line = {.out = out, .style = style}};
  for (int i = 0; i < view->step_count; i++) {
    int end = 3 * depth_of(view, i) + 5 + width_of(view->steps[i].slug);
    if (end > drawing.name_end && end < style->width / 2) drawing.name_end = end;
  }
  int head = draw_run(&drawing.line, view);
  int room = drawing.lines_left = most_lines - head - 1; /* one for those that get none */
  if (view->step_count <= room)
    draw_children(&drawing, -1);
  else
    draw_active(&drawing);
  if (drawing.hidden > 0) {
    line_printf(&drawing.line, TONE_FAINT, "   and %d more steps", drawing.hidden);
    line_end(&drawing.line);
  }
  return head + room - drawing.lines_left + (drawing.hidden > 0);
}

/* How a step goes on. */
static void put_news(struct line *line, const struct runview_step *step) {
  if (step->is_map)
    put_counts(line, step);
  else if (step->phase == PHASE_RETRYING)
    put_failed_attempt(line, step, step->attempts);
  else if (step->phase == PHASE_RUNNING && step->attempts > 1)
    line_printf(line, TONE_PLAIN, "started, attempt %lld of %lld", step->attempts, step->most_attempts);
  else
    line_put(line, TONE_PLAIN, task_phase_name(step->phase));
}

void runview_put_step(const struct runview_step *step, struct buf *out) {
  struct style plain = {.width = 400};
  struct line line = {.out = out, .style = &plain};
  line_printf(&line, TONE_PLAIN, "%s: ", step->slug);
  if (step->status == STEP_STARTED)
    put_news(&line, step);
  else
    line_put(&line, TONE_PLAIN, step_status_name(step->status));
  if (step->status == STEP_COMPLETED && step->is_map) {
    line_put(&line, TONE_PLAIN, ", ");
    put_counts(&line, step);
  }
  if (step->status == STEP_STARTED && step->failing) {
    line_put(&line, TONE_PLAIN, "; ");
    put_failing_task(&line, step);
  }
  bool waits = step->phase == PHASE_RETRYING || step->phase == PHASE_SNOOZED || step->failing || step->failed > 0;
  bool tells_error = step->status == STEP_STARTED ? waits : step->status != STEP_COMPLETED || step->failed > 0;
  if (step->error && tells_error) line_printf(&line, TONE_PLAIN, ": %s", step->error);
  line_end(&line);
}
