/* Reads what both kinds of LOAD have in common. */
#include "executor/load.h"

#include <stdlib.h>

/* The folder without symbolic links, as getcwd names folders; as it is when it cannot be found. */
static char *real_folder(char *folder) {
  char *real = folder ? realpath(folder, NULL) : NULL;
  if (!real) return folder;
  free(folder);
  return real;
}

bool executor_load(struct runtime *runtime, struct cursor *payload) {
  static const size_t frame_room = 64 * 1024; /* for what goes beside an output into its frame */
  if (runtime->L) return false;
  uint8_t mode = cursor_u8(payload);
  runtime->root = real_folder(cursor_strdup(payload));
  runtime->development = cursor_u8(payload) != 0;
  int64_t max_output = cursor_i64(payload);
  cursor_u8(payload);
  uint32_t count = cursor_u32(payload);
  if (payload->bad || !runtime->root || max_output <= 0) return false;
  runtime->max_output = (size_t)max_output < FRAME_MAX - frame_room ? (size_t)max_output : FRAME_MAX - frame_room;
  switch ((enum load_mode)mode) {
    case LOAD_FLOWS:
    case LOAD_TYPES:
      runtime->types = mode == LOAD_TYPES;
      runtime->mode = LOAD_FLOWS;
      executor_load_flows(runtime, payload, count);
      return true;
    case LOAD_SCRIPT:
      runtime->mode = LOAD_SCRIPT;
      if (count == 0) return false;
      executor_load_script(runtime, payload, count);
      return true;
  }
  return false;
}
