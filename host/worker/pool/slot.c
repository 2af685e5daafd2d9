/* Moves of a slot's state and its list of tasks. */
#include "worker/pool/slot.h"

#include <utlist.h>

enum { HELD_MS = 1000, HELD_TICKS = 10 };

static const struct state states[] = {SLOT_STATES(STATE_ROW)};

void slot_set_state(struct slot *slot, enum slot_state state, struct log *log) {
  STATE_CHECK(states, slot->state, state);
  LOG(log, LOG_DEBUG, "executor_state", LOG_INT("executor", slot->index), LOG_STR("from", states[slot->state].name),
      LOG_STR("to", states[state].name));
  slot->state = state;
}

bool slot_is_held(const struct slot *slot) {
  if (!slot->process) return false;
  return slot->stopped_ticks > 0 || slot->finalizer_ticks >= HELD_TICKS ||
         executor_process_pulse(slot->process).run_ms >= HELD_MS;
}

void slot_finish(struct slot *slot, struct log *log) {
  if (slot->state == SLOT_READY) slot_set_state(slot, SLOT_FINISHING, log);
  slot_check_finished(slot, log);
}

void slot_check_finished(struct slot *slot, struct log *log) {
  if (slot->state != SLOT_FINISHING || slot->task_count > 0) return;
  slot_set_state(slot, SLOT_LEAVING, log);
  executor_process_stop(slot->process);
}

void slot_add_task(struct slot *slot, struct task *task) {
  task->slot = slot;
  slot->served++;
  DL_APPEND(slot->tasks, task);
  slot->task_count++;
}

void slot_remove_task(struct slot *slot, struct task *task) {
  task->slot = NULL;
  DL_DELETE(slot->tasks, task);
  slot->task_count--;
}
