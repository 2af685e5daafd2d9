/* Polls one run: often while it is young, then less, so that a watcher costs the server little. */
#include "cli/view/follow.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "cli/reconnect.h"
#include "cli/signals.h"

enum {
  FIRST_POLL_MS = 50,
  LAST_POLL_MS = 500,
  LINE_MS = 2000, /* between two lines about the same map step */
};

struct follow {
  struct db *db;
  const char *run_id;
  struct signals signals;
  struct style style;
  struct runview shown; /* what was printed last */
  int lines_drawn;      /* of the live tree */
  int since_line_ms;
};

static void redraw(struct follow *follow, const struct runview *view) {
  struct buf out = {0};
  follow->style = style_of(STDERR_FILENO); /* the window may have changed */
  struct buf tree = {0};
  int lines = runview_draw(view, &follow->style, follow->style.height - 1, &tree);
  if (follow->lines_drawn > 0) buf_printf(&out, "\x1b[%dA", follow->lines_drawn);
  for (size_t start = 0; start < tree.len;) {
    size_t length = (size_t)((const char *)memchr(tree.data + start, '\n', tree.len - start) - (tree.data + start));
    buf_put(&out, tree.data + start, length);
    buf_printf(&out, "\x1b[K\n");
    start += length + 1;
  }
  buf_printf(&out, "\x1b[J");
  say_drawn(stderr, &out);
  fflush(stderr);
  follow->lines_drawn = lines;
  buf_free(&tree);
  buf_free(&out);
}

static bool is_another(const char *text, const char *before) {
  return text && before ? strcmp(text, before) != 0 : text != before;
}

/* The first task that fails is reported at once. */
static bool has_map_news(const struct runview_step *step, const struct runview_step *before, int since_line_ms) {
  if (step->failing && !before->failing) return true;
  bool is_new = step->left != before->left || is_another(step->failing, before->failing) ||
                step->failing_attempts != before->failing_attempts;
  return is_new && since_line_ms >= LINE_MS;
}

static bool has_news(const struct follow *follow, const struct runview_step *step, int index) {
  if (index >= follow->shown.step_count) return step->status != STEP_CREATED;
  const struct runview_step *before = &follow->shown.steps[index];
  if (step->status != before->status) return true;
  if (step->status != STEP_STARTED) return false;
  if (step->is_map) return has_map_news(step, before, follow->since_line_ms);
  if (step->phase == PHASE_RETRYING || before->phase != PHASE_SNOOZED)
    return step->phase != before->phase || step->attempts != before->attempts;
  return false; /* may snooze many times: reported once */
}

static bool is_told_unserved(const struct runview *view, int count, const char *queue) {
  for (int i = 0; i < count; i++)
    if (view->steps[i].unserved && strcmp(view->steps[i].unserved, queue) == 0) return true;
  return false;
}

/* Once for a queue, as long as it stays so. */
static void put_unserved(const struct follow *follow, const struct runview *view, struct buf *out) {
  for (int i = 0; i < view->step_count; i++) {
    const char *queue = view->steps[i].unserved;
    if (!queue || is_told_unserved(&follow->shown, follow->shown.step_count, queue)) continue;
    if (!is_told_unserved(view, i, queue)) buf_printf(out, "no live worker serves queue %s\n", queue);
  }
}

/* Prints lines for what changed; returns whether it printed any. */
static bool print_news(const struct follow *follow, const struct runview *view) {
  struct buf out = {0};
  for (int i = 0; i < view->step_count; i++)
    if (has_news(follow, &view->steps[i], i) && (view->status == RUN_STARTED || view->steps[i].status != STEP_STARTED))
      runview_put_step(&view->steps[i], &out);
  put_unserved(follow, view, &out);
  say_text(stderr, out.data, out.len);
  bool printed = out.len > 0;
  buf_free(&out);
  return printed;
}

/* Shows the view and takes it over where lines are compared with the last ones. True if there was something new. */
static bool show(struct follow *follow, const struct runview *view) {
  if (follow->style.terminal) {
    redraw(follow, view);
    return false;
  }
  return print_news(follow, view);
}

/* Reads the run once, whatever happens to the connection meanwhile. */
static enum follow_end read_view(struct follow *follow, struct runview *view, struct err *err) {
  bool detached = false;
  while (!runview_read(view, follow->db, follow->run_id, false, err)) {
    if (follow->db->interrupted) return FOLLOW_DETACHED;
    follow->lines_drawn = 0;
    if (!reconnect(follow->db, &follow->signals, &detached, err)) return detached ? FOLLOW_DETACHED : FOLLOW_FAILED;
  }
  return FOLLOW_ENDED;
}

static enum follow_end poll_until_end(struct follow *follow, struct runview *view, struct err *err) {
  for (int wait_ms = FIRST_POLL_MS;;) {
    enum follow_end got = read_view(follow, view, err);
    if (got != FOLLOW_ENDED) return got;
    bool ended = view->status != RUN_STARTED;
    bool printed = show(follow, view);
    follow->since_line_ms = printed ? 0 : follow->since_line_ms + wait_ms;
    if (ended) return FOLLOW_ENDED;
    if (printed || follow->shown.step_count == 0) {
      runview_free(&follow->shown);
      follow->shown = *view;
      *view = (struct runview){0};
    } else {
      runview_free(view);
    }
    if (signals_wait(&follow->signals, wait_ms) != 0) return FOLLOW_DETACHED;
    if (wait_ms < LAST_POLL_MS) wait_ms += wait_ms / 5 + 1;
  }
}

enum follow_end follow_run(struct db *db, const char *run_id, struct runview *view, struct err *err) {
  static const int list[] = {SIGINT, 0};
  struct follow follow = {.db = db, .run_id = run_id, .signals = signals_open(list), .style = style_of(STDERR_FILENO)};
  *view = (struct runview){0};
  db->interrupt_fd = follow.signals.fd;
  enum follow_end end = poll_until_end(&follow, view, err);
  db->interrupt_fd = -1;
  runview_free(&follow.shown);
  signals_close(&follow.signals);
  return end;
}
