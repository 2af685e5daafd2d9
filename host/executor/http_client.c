/* Sockets that libcurl names are watched by polls of the loop, its one timer is one of the loop. */
#include "executor/http_client.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { IDLE_CONNECTIONS = 256 /* kept open for the requests to come */ };

struct http_client {
  uv_timer_t timer;
  uv_loop_t *loop;
  CURLM *multi;
  http_done done;
};

struct watch {
  uv_poll_t poll;
  struct http_client *client;
  curl_socket_t socket;
};

static void collect(struct http_client *client) {
  const CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(client->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result; /* the message goes with the handle */
    void *owner = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&owner);
    client->done(owner, code);
  }
}

static void on_ready(uv_poll_t *poll, int status, int events) {
  struct watch *watch = poll->data;
  struct http_client *client = watch->client;
  int running, flags = 0;
  if (status < 0) flags |= CURL_CSELECT_ERR;
  if (events & UV_READABLE) flags |= CURL_CSELECT_IN;
  if (events & UV_WRITABLE) flags |= CURL_CSELECT_OUT;
  curl_multi_socket_action(client->multi, watch->socket, flags, &running); /* may close the watch */
  collect(client);
}

static void close_watch(struct watch *watch) { uv_close((uv_handle_t *)&watch->poll, (uv_close_cb)free); }

/* NULL if the loop cannot watch it. */
static struct watch *new_watch(struct http_client *client, curl_socket_t socket) {
  struct watch *watch = xcalloc(1, sizeof *watch);
  watch->client = client;
  watch->socket = socket;
  watch->poll.data = watch;
  if (uv_poll_init_socket(client->loop, &watch->poll, socket) == 0) return watch;
  free(watch);
  return NULL;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *owner, void *known) {
  struct http_client *client = owner;
  struct watch *watch = known;
  (void)easy;
  if (what == CURL_POLL_REMOVE) {
    if (watch) close_watch(watch);
    return 0;
  }
  if (!watch) {
    watch = new_watch(client, socket);
    if (!watch) return -1;
    curl_multi_assign(client->multi, socket, watch);
  }
  int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
  return uv_poll_start(&watch->poll, events, on_ready) == 0 ? 0 : -1;
}

static void on_timer(uv_timer_t *timer) {
  struct http_client *client = timer->data;
  int running;
  curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
  collect(client);
}

static int on_timer_wanted(CURLM *multi, long timeout_ms, void *owner) {
  struct http_client *client = owner;
  (void)multi;
  if (timeout_ms < 0) return uv_timer_stop(&client->timer);
  uv_update_time(client->loop);
  return uv_timer_start(&client->timer, on_timer, (uint64_t)timeout_ms, 0);
}

struct http_client *http_client_new(uv_loop_t *loop, http_done done, const char **why) {
  if (!(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS)) {
    *why = "this libcurl blocks while it resolves a name";
    return NULL;
  }
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    *why = "libcurl cannot be initialized";
    return NULL;
  }
  struct http_client *client = xcalloc(1, sizeof *client);
  *client = (struct http_client){.loop = loop, .done = done, .multi = curl_multi_init()};
  if (!client->multi) abort(); /* out of memory */
  uv_timer_init(loop, &client->timer);
  client->timer.data = client;
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS);
  return client;
}

void http_client_free(struct http_client *client) {
  if (!client) return;
  curl_multi_cleanup(client->multi);
  curl_global_cleanup();
  uv_close((uv_handle_t *)&client->timer, (uv_close_cb)free);
}

CURLMcode http_client_add(struct http_client *client, CURL *easy) { return curl_multi_add_handle(client->multi, easy); }

void http_client_remove(struct http_client *client, CURL *easy) { curl_multi_remove_handle(client->multi, easy); }
