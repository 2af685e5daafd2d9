/* Writing parameters: network byte order, array header first. */
#include "pg/pg_params.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"

/* Number of dimensions, has-null flag, element type, then size and lower bound of the one dimension. */
enum {
  HEADER_SIZE = 5 * sizeof(uint32_t),
  EMPTY_HEADER_SIZE = 3 * sizeof(uint32_t),
  UUID_SIZE = 16,
  JSONB_VERSION = 1
};

static int next(struct pg_params *params) {
  CHECK(params->count < PG_PARAMS_MAX);
  return params->count++;
}

void pg_param_text(struct pg_params *params, const char *text) { params->texts[next(params)] = xstrdup(text); }

void pg_param_int(struct pg_params *params, int64_t value) {
  params->texts[next(params)] = xasprintf("%lld", (long long)value);
}

struct pg_array *pg_param_array(struct pg_params *params, enum pg_type type) {
  static const char room[HEADER_SIZE];
  struct pg_array *array = &params->arrays[next(params)];
  array->type = type;
  buf_put(&array->bytes, room, sizeof room);
  return array;
}

static void put_be32(struct buf *out, uint32_t value) { buf_put_u32(out, htonl(value)); }

static void put_element(struct pg_array *array, enum pg_type type, const void *bytes, size_t length) {
  CHECK(array->type == type);
  put_be32(&array->bytes, (uint32_t)length);
  buf_put(&array->bytes, bytes, length);
  array->count++;
}

void pg_array_bool(struct pg_array *array, bool value) {
  uint8_t byte = value;
  put_element(array, PG_BOOL, &byte, sizeof byte);
}

void pg_array_int4(struct pg_array *array, int32_t value) {
  uint32_t bytes = htonl((uint32_t)value);
  put_element(array, PG_INT4, &bytes, sizeof bytes);
}

void pg_array_int8(struct pg_array *array, int64_t value) {
  uint64_t bytes = htobe64((uint64_t)value);
  put_element(array, PG_INT8, &bytes, sizeof bytes);
}

void pg_array_float8(struct pg_array *array, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = htobe64(bits);
  put_element(array, PG_FLOAT8, &bits, sizeof bits);
}

void pg_array_text(struct pg_array *array, const char *bytes, size_t length) {
  put_element(array, PG_TEXT, bytes, length);
}

void pg_array_jsonb(struct pg_array *array, const char *bytes, size_t length) {
  CHECK(array->type == PG_JSONB);
  put_be32(&array->bytes, (uint32_t)length + 1);
  buf_put_u8(&array->bytes, JSONB_VERSION);
  buf_put(&array->bytes, bytes, length);
  array->count++;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool pg_array_uuid(struct pg_array *array, const char *text) {
  uint8_t bytes[UUID_SIZE];
  for (size_t i = 0; i < UUID_SIZE; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      if (*text++ != '-') return false;
    int high = hex_digit(text[0]);
    int low = high < 0 ? -1 : hex_digit(text[1]);
    if (low < 0) return false;
    bytes[i] = (uint8_t)(high * 16 + low);
    text += 2;
  }
  if (*text != '\0') return false;
  put_element(array, PG_UUID, bytes, sizeof bytes);
  return true;
}

void pg_array_null(struct pg_array *array) {
  put_be32(&array->bytes, (uint32_t)-1);
  array->has_null = true;
  array->count++;
}

static void fill_header(struct pg_array *array) {
  uint32_t header[] = {htonl(array->count > 0), htonl(array->has_null), htonl(array->type),
                       htonl((uint32_t)array->count), htonl(1)};
  _Static_assert(sizeof header == HEADER_SIZE, "the header is five words");
  memcpy(array->bytes.data, header, sizeof header);
  if (array->count == 0) array->bytes.len = EMPTY_HEADER_SIZE;
}

void pg_params_finish(struct pg_params *params) {
  for (int i = 0; i < params->count; i++) {
    struct pg_array *array = &params->arrays[i];
    bool binary = array->bytes.len > 0;
    if (binary) fill_header(array);
    params->values[i] = binary ? array->bytes.data : params->texts[i];
    params->lengths[i] = binary ? (int)array->bytes.len : 0;
    params->formats[i] = binary;
  }
}

void pg_params_free(struct pg_params *params) {
  for (int i = 0; i < params->count; i++) {
    free(params->texts[i]);
    buf_free(&params->arrays[i].bytes);
  }
  *params = (struct pg_params){0};
}
