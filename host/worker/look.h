/* Gathers the kicks of one turn of the loop into one look, which acts until nothing is due. */
#ifndef LUAFLOW_WORKER_LOOK_H
#define LUAFLOW_WORKER_LOOK_H

#include "worker/advance.h"

struct look_events {
  void (*arm)(void *owner);                        /* look_now must be called before the loop sleeps */
  void (*facts)(void *owner, struct facts *facts); /* fills them in */
  void (*act)(void *owner, enum action action); /* what happens meanwhile is written down, and seen by the next step */
  void (*work)(void *owner);                    /* nothing else is due: sends results and claims */
};

struct look {
  enum { LOOK_RESTS, LOOK_DUE, LOOK_LOOKS, LOOK_DUE_AGAIN } state;
  struct course *course; /* borrowed */
  struct look_events events;
  void *owner;
};

void look_init(struct look *look, struct course *course, const struct look_events *events, void *owner);
/* A fact may have changed. Acts on nothing itself, so it can be called from anywhere, even within an action. */
void look_kick(struct look *look);
/* Acts until nothing is due. */
void look_now(struct look *look);

#endif
