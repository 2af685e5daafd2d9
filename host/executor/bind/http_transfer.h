/* One HTTP request and its answer: one hop, redirects are the caller's. Knows no Lua. */
#ifndef LUAFLOW_EXECUTOR_BIND_HTTP_TRANSFER_H
#define LUAFLOW_EXECUTOR_BIND_HTTP_TRANSFER_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/buf.h"

struct http_transfer {
  CURL *easy; /* its CURLOPT_PRIVATE is the caller's */
  CURLU *url;
  struct curl_slist *headers;
  struct buf body;   /* of the answer */
  size_t body_limit; /* bytes */
  bool body_too_large;
  bool decodes;                 /* compressed bodies are asked for and decoded; the handler did not ask for them */
  char reason[CURL_ERROR_SIZE]; /* libcurl's words for why it failed; may be empty */
};

struct http_transfer *http_transfer_new(size_t body_limit);
void http_transfer_free(struct http_transfer *transfer);

/* False if it is no URL of http or https; *why then says so, and never quotes it. */
bool http_transfer_set_url(struct http_transfer *transfer, const char *url, const char **why)
    __attribute__((warn_unused_result));
/* A token such as GET; body is copied, NULL where there is none. */
void http_transfer_set_method(struct http_transfer *transfer, const char *method, const char *body, size_t length);
/* Neither may hold CR, LF or NUL: the caller has checked it. */
void http_transfer_add_header(struct http_transfer *transfer, const char *name, const char *value);
void http_transfer_set_timeout(struct http_transfer *transfer, double seconds);
/* File of certificate authorities instead of the system's. */
void http_transfer_set_authorities(struct http_transfer *transfer, const char *path);
/* The last call before it is added to a client. */
void http_transfer_prepare(struct http_transfer *transfer);

/* The kind of a failure, as luaflow.http names it. */
const char *http_transfer_kind(const struct http_transfer *transfer, CURLcode code);
/* Why it failed. Borrowed from the transfer or static. */
const char *http_transfer_reason(const struct http_transfer *transfer, CURLcode code);

/* True for a header that describes the body as it was sent, not as it was decoded. */
bool http_transfer_is_of_encoding(const struct http_transfer *transfer, const char *name);

/* The URL without credentials, query and fragment. NULL if there is none; to be freed with curl_free. */
char *http_transfer_public_url(const struct http_transfer *transfer);

/* The seconds until the date of Retry-After, which may be over; false if it names none. */
bool http_transfer_retry_after(const struct http_transfer *transfer, double *seconds);

struct http_redirect {
  char *url;        /* absolute; to be freed with curl_free */
  bool same_origin; /* what the handler sent in secret may be sent there too */
};

/* Where an answer redirects to; url is NULL if it does not, or if what it names is no URL of http or https (*why is
 * then set). */
struct http_redirect http_transfer_redirect(const struct http_transfer *transfer, long status, const char **why);

#endif
