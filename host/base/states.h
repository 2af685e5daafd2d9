/* State machines: one list of states gives the enum, the names and the legal moves.
 *
 *   #define DOOR_STATES(X) X(DOOR_OPEN, "open", TO(DOOR_SHUT)) X(DOOR_SHUT, "shut", TO(DOOR_OPEN))
 *   enum door_state { DOOR_STATES(STATE_ENUM) };
 *   static const struct state states[] = {DOOR_STATES(STATE_ROW)};
 *
 * One function of the machine moves it: STATE_CHECK(states, door->state, to), then the assignment. */
#ifndef LUAFLOW_BASE_STATES_H
#define LUAFLOW_BASE_STATES_H

#include "base/check.h"

struct state {
  const char *name;
  unsigned moves; /* a bit for each state that it may move to */
};

#define TO(state) (1u << (state))
#define STATE_ENUM(state, name, moves) state,
#define STATE_ROW(state, name, moves) [state] = {name, moves},
/* A move that the list does not have is a bug of this program, which ends it. */
#define STATE_CHECK(states, from, to) CHECK((states)[from].moves &TO(to))

#endif
