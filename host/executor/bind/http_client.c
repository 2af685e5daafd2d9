/* Sockets that libcurl names are watched by polls of the loop, its one timer is one of the loop. */
#include "executor/bind/http_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

#include "base/process_start.h"
#include "base/xalloc.h"

enum {
  IDLE_CONNECTIONS = 256, /* kept open for the requests to come, at most */
  SHORTAGE_MS = 50        /* how long transfers wait when descriptors were short */
};

struct http_client {
  uv_timer_t timer;
  uv_timer_t shortage;        /* runs while nothing is begun, since descriptors were short */
  struct http_request *queue; /* list, oldest first */
  int running;
  int most; /* that run at a time */
  int open_handles;
  uv_loop_t *loop;
  CURLM *multi;
  http_done done;
};

struct watch {
  uv_poll_t poll;
  struct http_client *client;
  curl_socket_t socket;
};

static void begin(struct http_client *client, struct http_request *request) {
  if (curl_multi_add_handle(client->multi, request->easy) != CURLM_OK) abort(); /* out of memory, or misused */
  request->state = HTTP_RUNNING;
  client->running++;
}

static void stop(struct http_client *client, struct http_request *request) {
  curl_multi_remove_handle(client->multi, request->easy);
  request->state = HTTP_NEW;
  client->running--;
}

static void serve_queue(struct http_client *client) {
  while (client->queue && client->running < client->most && !uv_is_active((uv_handle_t *)&client->shortage)) {
    struct http_request *request = client->queue;
    DL_DELETE(client->queue, request);
    begin(client, request);
  }
}

static void on_shortage_over(uv_timer_t *timer) { serve_queue(timer->data); }

static bool is_short_of_files(void) {
  int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool is_short = file < 0 && (errno == EMFILE || errno == ENFILE);
  if (file >= 0) close(file);
  return is_short;
}

/* A transfer that has found no descriptor says that it cannot connect, or that a name is not known. That is no fault
 * of the handler's: it waits until others have ended. */
static bool waits_for_files(struct http_client *client, struct http_request *request, CURLcode code) {
  if (code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST && code != CURLE_COULDNT_RESOLVE_PROXY)
    return false;
  if (!is_short_of_files()) return false;
  stop(client, request);
  request->state = HTTP_QUEUED;
  DL_PREPEND(client->queue, request);
  if (client->running > 0) client->most = client->running;
  uv_timer_start(&client->shortage, on_shortage_over, SHORTAGE_MS, 0);
  return true;
}

static void collect(struct http_client *client) {
  const CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(client->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result; /* the message goes with the handle */
    struct http_request *request = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&request);
    if (waits_for_files(client, request, code)) continue;
    stop(client, request);
    client->done(request->owner, code);
  }
  serve_queue(client);
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
  uv_timer_init(loop, &client->shortage);
  client->timer.data = client->shortage.data = client;
  client->open_handles = 2;
  client->most = (process_files() - PROCESS_OWN_FILES) / PROCESS_REQUEST_FILES;
  if (client->most < 1) client->most = 1;
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
  long kept = client->most < IDLE_CONNECTIONS ? client->most : IDLE_CONNECTIONS;
  curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, kept);
  curl_multi_setopt(client->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)client->most);
  return client;
}

static void on_handle_closed(uv_handle_t *handle) {
  struct http_client *client = handle->data;
  if (--client->open_handles == 0) free(client);
}

void http_client_free(struct http_client *client) {
  if (!client) return;
  curl_multi_cleanup(client->multi);
  curl_global_cleanup();
  uv_close((uv_handle_t *)&client->timer, on_handle_closed);
  uv_close((uv_handle_t *)&client->shortage, on_handle_closed);
}

void http_client_add(struct http_client *client, struct http_request *request) {
  curl_easy_setopt(request->easy, CURLOPT_PRIVATE, request);
  request->state = HTTP_QUEUED;
  DL_APPEND(client->queue, request);
  serve_queue(client);
}

void http_client_remove(struct http_client *client, struct http_request *request) {
  if (request->state == HTTP_QUEUED) DL_DELETE(client->queue, request);
  if (request->state == HTTP_RUNNING) stop(client, request);
  request->state = HTTP_NEW;
  serve_queue(client);
}
