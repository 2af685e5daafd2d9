/* By the rule of lua/luaflow/nearest.lua, which has the same cases in its spec. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 128 };

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* How many single-character edits (insert, delete, replace, swap of neighbours) turn a into b. */
static size_t distance(const char *a, const char *b) {
  size_t a_length = strlen(a), b_length = strlen(b), rows[3][LONGEST + 1];
  if (a_length > LONGEST || b_length > LONGEST) return LONGEST;
  for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      row[j] = least_of(least_of(above[j], row[j - 1]) + 1, above[j - 1] + !same(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = least_of(row[j], before[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

/* Of two that are as near: the one that is as long as the word, or nearly; then the shorter one. */
static bool fits_better(size_t length, const char *candidate, const char *found) {
  long off = labs((long)strlen(candidate) - (long)length), known = labs((long)strlen(found) - (long)length);
  return off < known || (off == known && strlen(candidate) < strlen(found));
}

const char *nearest(const char *word, const char *const *words, size_t count) {
  size_t length = strlen(word), least = length <= 4 ? 1 : length / 3 > 2 ? length / 3 : 2;
  const char *found = NULL;
  if (length > LONGEST) return NULL;
  for (size_t i = 0; i < count; i++) {
    size_t edits = words[i] ? distance(word, words[i]) : LONGEST;
    if (edits > least || edits >= strlen(words[i])) continue;
    if (found && edits == least && !fits_better(length, words[i], found)) continue;
    found = words[i];
    least = edits;
  }
  return found;
}
