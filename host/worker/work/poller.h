/* When to claim and how much: after a wake-up, after a claim that may have left some, when the next message becomes
 * visible, and at least every 2 s. Knows nothing of the connection. */
#ifndef LUAFLOW_WORKER_WORK_POLLER_H
#define LUAFLOW_WORKER_WORK_POLLER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct poller;

/* limit: most tasks in a claim. due is called when a claim may have become due. */
struct poller *poller_new(uv_loop_t *loop, int limit, void (*due)(void *owner), void *owner);
/* Frees at once; its timer lives on until the loop has closed it. */
void poller_free(struct poller *poller);
/* The queue may have work: a new connection, or free slots. */
void poller_wake(struct poller *poller);
/* The same by a notification. Anybody can send one, so claims for them that find nothing are limited to 100 a second.
 * */
void poller_notify(struct poller *poller);
/* No claim from now on. */
void poller_stop(struct poller *poller);

/* How much to claim now, 0 for nothing. with_results: the batch records results, which may have made work on this
 * queue. */
int poller_quantity(const struct poller *poller, int free_slots, bool with_results);
/* A batch is sent, with a claim (0: without). To be answered by one of the next two. */
void poller_sent(struct poller *poller, int quantity, bool with_results);
/* in_vain: there was nothing to claim. more: there may be visible messages, so the next claim is due at once. What a
 * claim reads it hides, if only for a second: such claims come to an end. next_visible_ms: -1 if no message is
 * hidden. */
void poller_answered(struct poller *poller, bool in_vain, bool more, int64_t next_visible_ms);
/* Nothing is known about the queue. pause: the claim itself failed, so the next one waits 2 s and results go without.
 * */
void poller_failed(struct poller *poller, bool pause);

#endif
