/* Reads the files of a reload and loads them. */
#include <stdlib.h>

#include "worker/life.h"
#include "worker/reload.h"
#include "worker/reload_inside.h"
#include "worker/source/source_read.h"

/* ---- read ---- */

static void log_warnings(struct life *life, const struct buf *warnings) {
  struct cursor cursor = {.data = warnings->data, .len = warnings->len};
  while (cursor.pos < cursor.len && !cursor.bad) {
    char *path = cursor_strdup(&cursor), *why = cursor_strdup(&cursor);
    LOG(life->log, LOG_WARN, "not_loaded", LOG_STR("path", path), LOG_STR("reason", why));
    free(path);
    free(why);
  }
}

/* True if a load of these bytes would bring nothing: they serve, or were refused. */
static bool is_known(struct life *life, const struct source *source) {
  struct reload *reload = &life->reload;
  bool was_refused = reload->refused.snapshot >= 0 && source_same(source, &reload->refused);
  if (was_refused || !source_same(source, pool_source(life->serving))) return was_refused;
  source_free(&reload->refused);
  if (!reload->error) return true;
  bool told = life_tell_queues(life, pool_report(life->serving));
  LOG(life->log, told ? LOG_DEBUG : LOG_INFO, "reload_not_needed",
      LOG_STR("reason", "the files are again what serves"));
  reload_set_error(life, NULL);
  return true;
}

/* False if the files may be in the middle of a change; then another look follows. */
static bool is_settled(struct life *life, const struct source *source) {
  struct reload *reload = &life->reload;
  struct watch *watch = life->watch;
  if (!watch || !watch_compares(watch)) return !reload_is_moving(life);
  bool same = reload->seen.snapshot >= 0 && source_same(source, &reload->seen);
  if (same && uv_now(life->loop) - reload->seen_at >= (uint64_t)life->options->watch_settle_ms) return true;
  if (!same) {
    source_free(&reload->seen);
    source_copy(&reload->seen, source);
    reload->seen_at = uv_now(life->loop);
  }
  watch_look_again(watch);
  return false;
}

static enum answer judge_reading(struct life *life, struct source_reading *reading) {
  if (!reading->good) {
    reload_note_refusal(life, REFUSED_READ, reading->err.message, reading->err.hint);
    reload_note_source(life, NULL);
    return reading->err.kind == ERR_RETRY ? ANSWER_FAILED : ANSWER_REFUSED;
  }
  bool data = life->watch && !reload_is_moving(life) && watch_files_are_new(life->watch);
  if (life->course.cause == WISH_CHANGED && !data && is_known(life, &reading->source)) return ANSWER_KNOWN;
  if (!life->course.whole && !is_settled(life, &reading->source)) {
    reload_note_source(life, NULL); /* what was refused is tried again once it is settled */
    return ANSWER_KNOWN;
  }
  log_warnings(life, &reading->warnings);
  source_move(&life->reload.found, &reading->source);
  return ANSWER_GOOD;
}

static void on_read(void *owner, struct source_reading *reading) {
  struct life *life = owner;
  if (life->course.reload != RELOAD_READING) return;
  if (life->watch && watch_update(life->watch, &reading->folders, reading->good))
    course_want(&life->course, WISH_CHANGED);
  life->course.read = judge_reading(life, reading);
  life_kick(life);
}

void reload_read(struct life *life) {
  life->reload.began_at = uv_now(life->loop);
  life->reload.answers = life->reload.asked;
  source_read(life->loop, life->root, &life->options->env_file, on_read, life);
}

/* ---- load ---- */

void reload_load(struct life *life) {
  struct err err;
  life->candidate = pool_load(life->pool, &life->reload.found, &err);
  if (life->candidate) return;
  reload_note_refusal(life, REFUSED_READ, err.message, err.hint);
  reload_note_source(life, NULL);
  life->course.candidate = CANDIDATE_NOT_STARTED;
}

static enum candidate refuse_load(struct life *life, const char *error, const char *hint) {
  reload_note_refusal(life, REFUSED_LOAD, error, hint);
  reload_note_source(life, pool_source(life->candidate));
  return CANDIDATE_UNFIT;
}

static enum candidate refuse_queue(struct life *life, const struct load_report *report) {
  if (life->options->dev >= 0) return CANDIDATE_UNWANTED; /* dev has been told of the queues, and ends this worker */
  char *error = load_report_lacks(report, life->queue, " any more");
  refuse_load(life, error, "a worker keeps its queue: start another one for another queue");
  free(error);
  return CANDIDATE_UNFIT;
}

static enum candidate judge_load(struct life *life, const struct load_report *report) {
  if (reload_is_moving(life)) {
    reload_note_source(life, NULL); /* as above */
    return CANDIDATE_UNWANTED;
  }
  struct err err = {.message = "--handler-database has not answered yet: steps with transaction = true need it"};
  life->reload.worker = load_report_worker(report, life->queue);
  if (!life->reload.worker) return refuse_queue(life, report);
  if (load_report_needs_transactions(report) && handlers_reach(life->handlers, &err) != HANDLER_REACH_HOME)
    return refuse_load(life, err.message, err.hint);
  return CANDIDATE_LOADED;
}

void reload_loaded(struct life *life, const struct load_report *report) {
  life->course.candidate = judge_load(life, report);
}

void reload_not_loaded(struct life *life, const struct load_report *report, const struct err *err) {
  struct buf lines = {0};
  if (report) {
    load_report_put_problems(report, &lines);
    lines.data[lines.len - 1] = '\0'; /* for the last newline */
  }
  refuse_load(life, report ? lines.data : err->message, report ? NULL : err->hint);
  buf_free(&lines);
  life->candidate = NULL; /* the pool ends it */
  life->course.candidate = CANDIDATE_FAILED;
}
