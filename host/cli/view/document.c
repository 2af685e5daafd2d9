/* Builds a document with yajl and hands it to the one sink for JSON. */
#include "cli/view/document.h"

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

void document_end(yajl_gen document) {
  const unsigned char *text;
  size_t length;
  yajl_gen_get_buf(document, &text, &length);
  say_json(stdout, (const char *)text, length);
  yajl_gen_free(document);
}
