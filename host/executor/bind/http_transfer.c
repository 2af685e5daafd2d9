/* The easy handle's options, and what becomes of its result. */
#include "executor/bind/http_transfer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/version.h"
#include "base/xalloc.h"

static const long connect_timeout_ms = 30000; /* so that a host that does not answer is named before most deadlines */

static size_t on_body(char *bytes, size_t one, size_t length, void *owner) {
  struct http_transfer *transfer = owner;
  (void)one;
  transfer->body_too_large = length > transfer->body_limit - transfer->body.len;
  if (transfer->body_too_large) return 0;
  buf_put(&transfer->body, bytes, length);
  return length;
}

/* What handlers start must not hold connections open. */
static int on_connecting(void *owner, curl_socket_t socket, curlsocktype purpose) {
  (void)owner;
  (void)purpose;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  return CURL_SOCKOPT_OK;
}

struct http_transfer *http_transfer_new(size_t body_limit) {
  struct http_transfer *transfer = xcalloc(1, sizeof *transfer);
  CURL *easy = curl_easy_init();
  transfer->easy = easy;
  transfer->url = curl_url();
  transfer->body_limit = body_limit;
  if (!easy || !transfer->url) abort(); /* out of memory */
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* ending it does not wait for a name that is being resolved */
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->reason);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "luaflow/" LUAFLOW_VERSION);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_connecting);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
  return transfer;
}

void http_transfer_free(struct http_transfer *transfer) {
  curl_easy_cleanup(transfer->easy);
  curl_url_cleanup(transfer->url);
  curl_slist_free_all(transfer->headers);
  buf_free(&transfer->body);
  free(transfer);
}

/* ---- the request ---- */

static bool has_part(CURLU *url, CURLUPart part, const char *value) {
  char *found = NULL;
  bool equal = curl_url_get(url, part, &found, 0) == CURLUE_OK && strcasecmp(found, value) == 0;
  curl_free(found);
  return equal;
}

static bool is_http(CURLU *url) {
  return has_part(url, CURLUPART_SCHEME, "http") || has_part(url, CURLUPART_SCHEME, "https");
}

bool http_transfer_set_url(struct http_transfer *transfer, const char *url, const char **why) {
  CURLUcode code = curl_url_set(transfer->url, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK)
    *why = curl_url_strerror(code);
  else if (!is_http(transfer->url))
    *why = "it must begin with http:// or https://";
  else
    return curl_easy_setopt(transfer->easy, CURLOPT_CURLU, transfer->url) == CURLE_OK;
  return false;
}

static bool wants_body(const char *method) {
  return strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;
}

void http_transfer_set_method(struct http_transfer *transfer, const char *method, const char *body, size_t length) {
  CURL *easy = transfer->easy;
  if (body || wants_body(method)) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
    curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body ? body : "");
  } else if (strcmp(method, "HEAD") == 0) {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static void add_line(struct http_transfer *transfer, const char *line) {
  struct curl_slist *longer = curl_slist_append(transfer->headers, line);
  if (!longer) abort(); /* out of memory */
  transfer->headers = longer;
}

/* libcurl's own notation: "name:" leaves a header out, "name;" sends an empty one. */
void http_transfer_add_header(struct http_transfer *transfer, const char *name, const char *value) {
  value += strspn(value, " \t");
  char *line = *value ? xasprintf("%s: %s", name, value) : xasprintf("%s;", name);
  add_line(transfer, line);
  free(line);
}

void http_transfer_set_timeout(struct http_transfer *transfer, double seconds) {
  curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT_MS, (long)(seconds * 1000) + 1);
}

void http_transfer_set_authorities(struct http_transfer *transfer, const char *path) {
  curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, path);
  curl_easy_setopt(transfer->easy, CURLOPT_CAPATH, NULL);
}

static bool has_header(const struct http_transfer *transfer, const char *name) {
  size_t length = strlen(name);
  for (const struct curl_slist *line = transfer->headers; line; line = line->next)
    if (strncasecmp(line->data, name, length) == 0 && strchr(":;", line->data[length])) return true;
  return false;
}

void http_transfer_prepare(struct http_transfer *transfer) {
  add_line(transfer, "Expect:"); /* a server that does not know it costs a second */
  if (!has_header(transfer, "Content-Type")) add_line(transfer, "Content-Type:"); /* libcurl would make it a form */
  curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
  transfer->decodes = !has_header(transfer, "Accept-Encoding");
  if (transfer->decodes) curl_easy_setopt(transfer->easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
}

/* ---- the answer ---- */

/* A proxy that refuses a tunnel has answered, but not what was asked for. */
static bool is_refused_by_proxy(const struct http_transfer *transfer) {
  long code = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &code);
  return code >= 300;
}

const char *http_transfer_kind(const struct http_transfer *transfer, CURLcode code) {
  if (transfer->body_too_large) return "too_large";
  if (is_refused_by_proxy(transfer)) return "proxy";
  switch ((int)code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "dns";
    case CURLE_COULDNT_CONNECT:
      return "connect";
    case CURLE_OPERATION_TIMEDOUT:
      return "timeout";
    case CURLE_PROXY:
      return "proxy";
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
    case CURLE_PEER_FAILED_VERIFICATION:
      return "tls";
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return "connection";
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9 and the like: the request's own was checked */
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP3:
    case CURLE_BAD_CONTENT_ENCODING:
      return "protocol";
    default:
      return "failed";
  }
}

const char *http_transfer_reason(const struct http_transfer *transfer, CURLcode code) {
  if (transfer->body_too_large) return NULL;
  return *transfer->reason ? transfer->reason : curl_easy_strerror(code);
}

bool http_transfer_is_of_encoding(const struct http_transfer *transfer, const char *name) {
  struct curl_header *encoding;
  return transfer->decodes && (strcasecmp(name, "Content-Encoding") == 0 || strcasecmp(name, "Content-Length") == 0) &&
         curl_easy_header(transfer->easy, "Content-Encoding", 0, CURLH_HEADER, -1, &encoding) == CURLHE_OK;
}

char *http_transfer_public_url(const struct http_transfer *transfer) {
  static const CURLUPart secret[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY,
                                     CURLUPART_FRAGMENT};
  char *text = NULL;
  CURLU *url = curl_url_dup(transfer->url);
  if (!url) abort(); /* out of memory */
  for (size_t i = 0; i < sizeof secret / sizeof *secret; i++) curl_url_set(url, secret[i], NULL, 0);
  if (curl_url_get(url, CURLUPART_URL, &text, 0) != CURLUE_OK) text = NULL;
  curl_url_cleanup(url);
  return text;
}

bool http_transfer_retry_after(const struct http_transfer *transfer, double *seconds) {
  curl_off_t after = 0; /* also for what cannot be read */
  bool known = curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &after) == CURLE_OK && after != 0;
  *seconds = (double)after;
  return known;
}

static bool same_part(CURLU *a, CURLU *b, CURLUPart part) {
  char *value = NULL;
  bool equal = curl_url_get(a, part, &value, CURLU_DEFAULT_PORT) == CURLUE_OK;
  if (equal) {
    char *other = NULL;
    equal = curl_url_get(b, part, &other, CURLU_DEFAULT_PORT) == CURLUE_OK && strcasecmp(value, other) == 0;
    curl_free(other);
  }
  curl_free(value);
  return equal;
}

static bool is_same_origin(CURLU *a, CURLU *b) {
  return same_part(a, b, CURLUPART_SCHEME) && same_part(a, b, CURLUPART_HOST) && same_part(a, b, CURLUPART_PORT);
}

/* The credentials of the URL go along where they may. */
static void copy_credentials(CURLU *from, CURLU *to) {
  static const CURLUPart parts[] = {CURLUPART_USER, CURLUPART_PASSWORD};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char *value = NULL;
    if (curl_url_get(from, parts[i], &value, 0) == CURLUE_OK) curl_url_set(to, parts[i], value, 0);
    curl_free(value);
  }
}

static bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

struct http_redirect http_transfer_redirect(const struct http_transfer *transfer, long status, const char **why) {
  struct http_redirect redirect = {0};
  struct curl_header *location;
  *why = NULL;
  if (!is_redirect(status) || curl_easy_header(transfer->easy, "Location", 0, CURLH_HEADER, -1, &location) != CURLHE_OK)
    return redirect;
  CURLU *target = curl_url_dup(transfer->url);
  if (!target) abort(); /* out of memory */
  CURLUcode code = curl_url_set(target, CURLUPART_URL, location->value, CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE);
  if (code != CURLUE_OK) {
    *why = curl_url_strerror(code);
  } else if (!is_http(target)) {
    *why = "its scheme is not http or https";
  } else {
    redirect.same_origin = is_same_origin(transfer->url, target);
    if (redirect.same_origin) copy_credentials(transfer->url, target);
    if (curl_url_get(target, CURLUPART_URL, &redirect.url, 0) != CURLUE_OK) redirect.url = NULL;
  }
  curl_url_cleanup(target);
  return redirect;
}
