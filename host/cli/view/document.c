/* Builds a document with yajl and hands it to the one sink for JSON. */
#include "cli/view/document.h"

#include <yajl/yajl_parse.h>

#include <string.h>
#include <unistd.h>

#include "base/say.h"

yajl_gen document_begin(void) {
  yajl_gen document = yajl_gen_alloc(NULL);
  yajl_gen_config(document, yajl_gen_beautify, isatty(STDOUT_FILENO) == 1);
  return document;
}

void document_text(yajl_gen document, const char *text) {
  if (text)
    yajl_gen_string(document, (const unsigned char *)text, strlen(text));
  else
    yajl_gen_null(document);
}

void document_member(yajl_gen document, const char *key, const char *text) {
  if (!text) return;
  document_text(document, key);
  document_text(document, text);
}

/* What the reader finds goes to the document as it is. */
static int on_null(void *document) { return yajl_gen_null(document) == yajl_gen_status_ok; }
static int on_boolean(void *document, int value) { return yajl_gen_bool(document, value) == yajl_gen_status_ok; }
static int on_number(void *document, const char *text, size_t length) {
  return yajl_gen_number(document, text, length) == yajl_gen_status_ok;
}
static int on_string(void *document, const unsigned char *text, size_t length) {
  return yajl_gen_string(document, text, length) == yajl_gen_status_ok;
}
static int on_map(void *document) { return yajl_gen_map_open(document) == yajl_gen_status_ok; }
static int on_map_end(void *document) { return yajl_gen_map_close(document) == yajl_gen_status_ok; }
static int on_array(void *document) { return yajl_gen_array_open(document) == yajl_gen_status_ok; }
static int on_array_end(void *document) { return yajl_gen_array_close(document) == yajl_gen_status_ok; }

void document_json(yajl_gen document, const char *json) {
  static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                           .yajl_boolean = on_boolean,
                                           .yajl_number = on_number,
                                           .yajl_string = on_string,
                                           .yajl_start_map = on_map,
                                           .yajl_map_key = on_string,
                                           .yajl_end_map = on_map_end,
                                           .yajl_start_array = on_array,
                                           .yajl_end_array = on_array_end};
  yajl_handle reader = yajl_alloc(&callbacks, NULL, document);
  yajl_parse(reader, (const unsigned char *)json, strlen(json));
  yajl_complete_parse(reader);
  yajl_free(reader);
}

void document_end(yajl_gen document) {
  const unsigned char *text;
  size_t length;
  yajl_gen_get_buf(document, &text, &length);
  say_json(stdout, (const char *)text, length);
  yajl_gen_free(document);
}
