/* Repeats advance until it has no action left. */
#include "worker/look.h"

#include "base/check.h"

enum { STEPS_MAX = 1000 /* in one look; more would be an endless loop */ };

void look_init(struct look *look, struct course *course, const struct look_events *events, void *owner) {
  *look = (struct look){.course = course, .events = *events, .owner = owner};
}

void look_kick(struct look *look) {
  bool rests = look->state == LOOK_RESTS;
  look->state = look->state >= LOOK_LOOKS ? LOOK_DUE_AGAIN : LOOK_DUE;
  if (rests) look->events.arm(look->owner);
}

void look_now(struct look *look) {
  int steps = 0;
  do {
    struct facts facts;
    enum action action;
    look->state = LOOK_LOOKS;
    while (look->events.facts(look->owner, &facts), action = advance(look->course, &facts), action != ACTION_NONE) {
      CHECK(steps++ < STEPS_MAX);
      look->events.act(look->owner, action);
    }
    look->events.work(look->owner);
    CHECK(steps++ < STEPS_MAX);
  } while (look->state == LOOK_DUE_AGAIN);
  look->state = LOOK_RESTS;
}
