/* Writes one JSON document to standard output: indented on a terminal, on one line elsewhere. */
#ifndef LUAFLOW_CLI_VIEW_DOCUMENT_H
#define LUAFLOW_CLI_VIEW_DOCUMENT_H

#include <yajl/yajl_gen.h>

yajl_gen document_begin(void);
/* A string; null for NULL. */
void document_text(yajl_gen document, const char *text);
/* A member of an object; nothing for NULL. */
void document_member(yajl_gen document, const char *key, const char *text);
/* A value that is JSON text already. */
void document_json(yajl_gen document, const char *json);
/* Writes the document and frees it. */
void document_end(yajl_gen document);

#endif
