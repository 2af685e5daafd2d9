/* Nearest spelling by edit distance (insert, delete, replace a letter; a swap counts as two). For short words. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t distance(const char *a, const char *b) {
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST || b_length > LONGEST) return LONGEST;
  size_t row[LONGEST + 1];
  for (size_t j = 0; j <= b_length; j++) row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = replaced < other ? replaced : other;
    }
  }
  return row[b_length];
}

const char *nearest(const char *word, const char *const *words, size_t count) {
  const char *best = NULL;
  size_t best_distance = LONGEST;
  for (size_t i = 0; i < count; i++) {
    if (!words[i]) continue;
    size_t edits = distance(word, words[i]);
    size_t allowed = strlen(words[i]) / 3 + 1;
    if (edits <= allowed && edits < best_distance) {
      best = words[i];
      best_distance = edits;
    }
  }
  return best;
}
