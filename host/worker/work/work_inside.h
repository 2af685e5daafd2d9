/* What work.c (the cycle) and work_failed.c (what follows a transaction that failed) share. */
#ifndef LUAFLOW_WORKER_WORK_WORK_INSIDE_H
#define LUAFLOW_WORKER_WORK_WORK_INSIDE_H

#include "worker/control/complaint.h"
#include "worker/work/batcher.h"
#include "worker/work/poller.h"
#include "worker/work/record.h"
#include "worker/work/work.h"

struct work {
  uv_loop_t *loop;
  struct work_options options;
  struct work_events events;
  void *owner;
  struct log *log;
  struct pg *pg;
  struct batcher *batcher;
  struct poller *poller;
  uv_timer_t backoff; /* runs while nothing is sent, after an error */
  uv_timer_t again;   /* runs while results are set aside */
  int open_handles;
  int64_t generation; /* 0: no claims yet */
  bool held;          /* no claims for the time being */
  bool apart;         /* claims go out alone, behind the results: one of them is slow */
  int single_claims;  /* that many quick ones more are for one task each */
  uint64_t last_number;

  bool busy; /* the rest describes the transaction under way */
  bool claiming;
  struct batch batch;
  struct record_calls calls;
  uint64_t sent_at;
  int failures;       /* to record, in a row */
  bool reconcile_due; /* a connection has been lost since claims began */
  bool claim_lost;    /* nobody knows what it has claimed */
  struct complaint record_complaint, claim_complaint, reconcile_complaint;
};

/* So many quick claims are for one task each, after a claim was cut or its tasks came too late. */
enum { WORK_SINGLE_CLAIMS = 100 };

/* work.c: there may be something to send. */
void work_kick(struct work *work);

/* work_failed.c */
/* The batch under way has failed: answers the batcher and the poller, and decides when work continues. */
void work_failed(struct work *work, const struct pg_unit *unit, const struct err *err);
/* The server refused to reconcile for a reason that may pass: says so once, and waits. Or the connection broke. */
void work_not_reconciled(struct work *work, const struct pg_unit *unit, const struct err *err);
/* What was complained of works again. */
void work_recovered(struct work *work, struct complaint *complaint, const char *statement);

#endif
