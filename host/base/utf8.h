/* Turns any bytes into text that Postgres, JSON and a terminal can hold. */
#ifndef LUAFLOW_BASE_UTF8_H
#define LUAFLOW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Length in bytes (1..4) of the valid UTF-8 sequence at the start of bytes, 0 if there is none. */
size_t utf8_sequence(const char *bytes, size_t length);
/* The code point of the valid sequence of that length (1..4). */
uint32_t utf8_point(const char *bytes, size_t length);
/* The code point of the sequence of that length at the start of bytes if it moves the cursor, ends a line, or changes
 * the direction of text (C0, C1, DEL, U+2028, bidirectional marks and their like); else 0. U+0000 is 0 as well. */
uint32_t utf8_control(const char *bytes, size_t length);
/* Appends bytes with every invalid byte and U+0000 replaced by U+FFFD. When the result would be longer than limit, it
 * is cut before a character and ends with " ... (cut)". limit 0: no limit. */
void utf8_clean(struct buf *out, const char *bytes, size_t length, size_t limit);

/* After snprintf, which wanted so many bytes: text that was longer than size allows ends before a character and with
 * " ... (cut)". */
void utf8_fit(char *text, size_t size, int wanted);
/* The longest prefix of at most limit bytes that ends before a character. */
size_t utf8_prefix(const char *bytes, size_t length, size_t limit);

#endif
