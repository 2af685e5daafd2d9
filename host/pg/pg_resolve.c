/* Host names to addresses: every host of the conninfo becomes one entry for each of its addresses. */
#include "pg/pg_resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "pg/conninfo.h"
#include "pg/pins.h"

enum { ADDRESSES_MAX = 8 /* of one host */, KEYWORDS_MAX = 80 };

struct host {
  char *name; /* owned */
  char *port; /* owned; "" for the default */
  bool look_up;
  uv_getaddrinfo_t request;
  struct addrinfo *found; /* owned by libuv; NULL: none */
  int status;
};

struct pg_target {
  PQconninfoOption *options; /* what the conninfo says and nothing else */
  char *application_name;
  char *session_options; /* NULL: as in options */
  struct host hosts[CONNINFO_HOSTS_MAX];
  int host_count;
  int pending;
  bool freed;
  char *host_list, *address_list, *port_list; /* NULL: as in options */
  void (*done)(void *owner, const struct err *err);
  void *owner;
};

static const char *const session_defaults[][2] = {
    {"keepalives", "1"},       {"keepalives_idle", "5"},      {"keepalives_interval", "3"},
    {"keepalives_count", "3"}, {"tcp_user_timeout", "10000"},
};

static const char *option(const PQconninfoOption *options, const char *keyword) {
  for (; options->keyword; options++)
    if (strcmp(options->keyword, keyword) == 0) return options->val && *options->val ? options->val : NULL;
  return NULL;
}

/* The index-th piece of a comma-separated list, owned by the caller; NULL beyond the end. */
static char *piece(const char *list, int index) {
  for (; index > 0; index--) {
    list = strchr(list, ',');
    if (!list) return NULL;
    list++;
  }
  return xmemdup(list, strcspn(list, ","));
}

static bool is_name(const char *host) {
  struct in6_addr address;
  if (*host == '\0' || *host == '/' || *host == '@') return false;
  return inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1;
}

static int count_hosts(const char *list) {
  int count = 1;
  for (; *list; list++) count += *list == ',';
  return count;
}

/* Splits host and port lists, the environment's where the conninfo has none, if any of the hosts needs a look-up.
 * False: they are too many. */
static bool find_hosts(struct pg_target *target) {
  PQconninfoOption *defaults = PQconndefaults();
  const char *hosts = option(target->options, "host");
  const char *ports = option(target->options, "port");
  bool known = option(target->options, "hostaddr") || option(target->options, "service");
  if (!hosts && defaults) hosts = option(defaults, "host");
  if (!ports && defaults) ports = option(defaults, "port");
  if (!known && defaults && !option(target->options, "host")) known = option(defaults, "hostaddr") != NULL;
  bool any = false, fit = !hosts || known || count_hosts(hosts) <= CONNINFO_HOSTS_MAX;
  for (int i = 0; hosts && !known && fit; i++) {
    char *name = piece(hosts, i);
    if (!name) break;
    struct host *host = &target->hosts[target->host_count++];
    host->name = name;
    host->port = ports ? piece(ports, i) : NULL;
    if (!host->port) host->port = ports && !strchr(ports, ',') ? xstrdup(ports) : xstrdup("");
    host->look_up = is_name(name);
    any = any || host->look_up;
  }
  if (!any) target->host_count = 0; /* the forms that are left need no look-up; freed with the target */
  PQconninfoFree(defaults);
  return fit;
}

struct pg_target *pg_target_new(const char *source, const char *conninfo, const char *application_name,
                                struct err *err) {
  PQconninfoOption *options = conninfo_parse(source, conninfo, err);
  if (!options || !conninfo_check_environment(options, err)) {
    PQconninfoFree(options);
    return NULL;
  }
  struct pg_target *target = xcalloc(1, sizeof *target);
  target->options = options;
  target->application_name = xstrdup(application_name);
  if (find_hosts(target)) return target;
  pg_target_free(target);
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: the service file names more than %d hosts", source, CONNINFO_HOSTS_MAX);
  return NULL;
}

static void add_entry(struct buf lists[3], const struct host *host, const char *address) {
  const char *const entry[3] = {host->name, address, host->port};
  for (int i = 0; i < 3; i++) buf_printf(&lists[i], "%s%s", lists[i].len ? "," : "", entry[i]);
}

/* Adds the addresses of one host; returns how many. */
static int add_host(struct buf lists[3], const struct host *host) {
  char address[INET6_ADDRSTRLEN];
  int count = 0;
  if (!host->look_up) {
    add_entry(lists, host, "");
    return 1;
  }
  for (const struct addrinfo *info = host->found; info && count < ADDRESSES_MAX; info = info->ai_next) {
    if (uv_ip_name(info->ai_addr, address, sizeof address) < 0) continue;
    add_entry(lists, host, address);
    count++;
  }
  return count;
}

static void resolved(struct pg_target *target) {
  struct buf lists[3] = {{0}, {0}, {0}};
  struct err err;
  int count = 0;
  int status = 0;
  for (int i = 0; i < target->host_count; i++) {
    count += add_host(lists, &target->hosts[i]);
    if (target->hosts[i].status < 0) status = target->hosts[i].status;
  }
  free(target->host_list);
  free(target->address_list);
  free(target->port_list);
  target->host_list = xmemdup(lists[0].data, lists[0].len);
  target->address_list = xmemdup(lists[1].data, lists[1].len);
  target->port_list = xmemdup(lists[2].data, lists[2].len);
  for (int i = 0; i < 3; i++) buf_free(&lists[i]);
  if (count == 0)
    err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: cannot find the address of host \"%s\": %s",
            target->hosts[0].name, uv_strerror(status));
  target->done(target->owner, count ? NULL : &err);
}

static void forget_addresses(struct pg_target *target) {
  for (int i = 0; i < target->host_count; i++) {
    uv_freeaddrinfo(target->hosts[i].found);
    target->hosts[i].found = NULL;
  }
}

static void destroy(struct pg_target *target) {
  forget_addresses(target);
  for (int i = 0; i < CONNINFO_HOSTS_MAX; i++) {
    free(target->hosts[i].name);
    free(target->hosts[i].port);
  }
  PQconninfoFree(target->options);
  free(target->application_name);
  free(target->session_options);
  free(target->host_list);
  free(target->address_list);
  free(target->port_list);
  free(target);
}

static void on_found(uv_getaddrinfo_t *request, int status, struct addrinfo *found) {
  struct pg_target *target = request->data;
  for (int i = 0; i < target->host_count; i++) {
    if (&target->hosts[i].request != request) continue;
    target->hosts[i].found = found;
    target->hosts[i].status = status;
  }
  if (--target->pending > 0) return;
  if (target->freed)
    destroy(target);
  else
    resolved(target);
}

void pg_target_resolve(struct pg_target *target, uv_loop_t *loop, void (*done)(void *owner, const struct err *err),
                       void *owner) {
  const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
  target->done = done;
  target->owner = owner;
  if (target->pending > 0) return; /* an earlier look-up was given up, but still runs: its answer is used */
  forget_addresses(target);
  for (int i = 0; i < target->host_count; i++) {
    struct host *host = &target->hosts[i];
    if (!host->look_up) continue;
    host->request.data = target;
    host->status = uv_getaddrinfo(loop, &host->request, on_found, host->name, NULL, &wanted);
    if (host->status == 0) target->pending++;
  }
  if (target->pending > 0) return;
  if (target->host_count > 0)
    resolved(target);
  else
    done(owner, NULL);
}

static void add(const char **keywords, const char **values, int *count, const char *keyword, const char *value) {
  if (!value || *count >= KEYWORDS_MAX) return;
  keywords[*count] = keyword;
  values[*count] = value;
  ++*count;
}

bool pg_target_pin_libraries(struct pg_target *target, const char *in_use) {
  if (target->session_options) return false;
  target->session_options = xasprintf("%s " PIN_LIBRARIES, in_use ? in_use : "");
  return true;
}

PGconn *pg_target_connect(const struct pg_target *target) {
  const char *keywords[KEYWORDS_MAX + 1] = {NULL};
  const char *values[KEYWORDS_MAX + 1] = {NULL};
  int count = 0;
  for (size_t i = 0; i < sizeof session_defaults / sizeof *session_defaults; i++)
    add(keywords, values, &count, session_defaults[i][0], session_defaults[i][1]);
  for (const PQconninfoOption *o = target->options; o->keyword; o++) add(keywords, values, &count, o->keyword, o->val);
  add(keywords, values, &count, "host", target->host_list); /* of a keyword given twice the last counts */
  add(keywords, values, &count, "hostaddr", target->address_list);
  add(keywords, values, &count, "port", target->port_list);
  add(keywords, values, &count, "options", target->session_options);
  add(keywords, values, &count, "application_name", target->application_name);
  add(keywords, values, &count, "client_encoding", "UTF8");
  return PQconnectStartParams(keywords, values, 0);
}

void pg_target_free(struct pg_target *target) {
  if (!target) return;
  target->freed = true;
  for (int i = 0; i < target->host_count && target->pending > 0; i++)
    if (target->hosts[i].look_up) uv_cancel((uv_req_t *)&target->hosts[i].request);
  if (target->pending == 0) destroy(target);
}
