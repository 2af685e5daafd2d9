/* libcurl's multi interface on the executor's loop: all transfers of the process, and the connections that they share.
 * Knows no Lua. */
#ifndef LUAFLOW_EXECUTOR_BIND_HTTP_CLIENT_H
#define LUAFLOW_EXECUTOR_BIND_HTTP_CLIENT_H

#include <curl/curl.h>
#include <uv.h>

struct http_client;

/* Called from the loop when a transfer has ended; owner is the request's. It may remove the request. */
typedef void (*http_done)(void *owner, CURLcode code);

/* NULL if this libcurl cannot be used; *why is then a reason. */
struct http_client *http_client_new(uv_loop_t *loop, http_done done, const char **why)
    __attribute__((warn_unused_result));
/* Closes all connections; every transfer has been removed before. Its handles are freed by the loop's next turns.
 * NULL is ignored. */
void http_client_free(struct http_client *client);

/* One transfer of the client; its owner keeps it until it is done or removed. */
struct http_request {
  CURL *easy;
  void *owner;
  enum { HTTP_NEW, HTTP_QUEUED, HTTP_RUNNING } state; /* the client's */
  struct http_request *prev, *next;
};

/* Begins the transfer, or lets it wait for descriptors to be free: as many run at a time as the limit of open files
 * allows, and one that has found none begins again. Never calls done from within. */
void http_client_add(struct http_client *client, struct http_request *request);
/* Ends it, whether it is done or not. Never waits, not for a name that is being resolved either. */
void http_client_remove(struct http_client *client, struct http_request *request);

#endif
