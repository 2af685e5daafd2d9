/* Reads, loads and deploys a further generation and switches to it. If anything fails before the switch, the old
 * generation keeps serving. */
#ifndef LUAFLOW_WORKER_RELOAD_H
#define LUAFLOW_WORKER_RELOAD_H

#include "worker/advance.h"
#include "worker/control/deploy.h"

struct life;

void reload_init(struct life *life);
/* Closes its handles. */
void reload_close(struct life *life);
void reload_free(struct life *life);

/* What a statement's failure means for a deployment. */
enum answer reload_judge(const struct life *life, const struct err *err);

/* Write down what the candidate has loaded, why it could not load, why it was not deployed. */
void reload_loaded(struct life *life, const struct load_report *report);
void reload_not_loaded(struct life *life, const struct load_report *report, const struct err *err);
void reload_not_deployed(struct life *life, const struct deploy_answer *answer);

/* What is due; see enum action. */
void reload_read(struct life *life);
void reload_load(struct life *life);
void reload_expect(struct life *life);
void reload_lose_patience(struct life *life);
void reload_ask(struct life *life);
void reload_held(struct life *life);
void reload_refuse(struct life *life);
void reload_refuse_for_now(struct life *life);
void reload_pause(struct life *life);
void reload_discard(struct life *life);
void reload_serve(struct life *life);
void reload_switch(struct life *life);
void reload_deployed_again(struct life *life);
void reload_not_deployed_again(struct life *life);
void reload_drop(struct life *life);

#endif
