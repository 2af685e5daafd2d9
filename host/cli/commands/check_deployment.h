/* What a deployment of checked flows would do in a database now: asked of it, without a change there. */
#ifndef LUAFLOW_CLI_COMMANDS_CHECK_DEPLOYMENT_H
#define LUAFLOW_CLI_COMMANDS_CHECK_DEPLOYMENT_H

#include <yajl/yajl_gen.h>

#include "base/buf.h"
#include "base/settings.h"
#include "cli/db.h"
#include "worker/source/load_report.h"

struct previews {
  const struct load_report *report; /* borrowed */
  PGresult **results;               /* owned; one for each worker of the report */
};

/* Asks for each worker of the report. On failure *err says why, and nothing is to be freed. */
bool previews_read(struct previews *previews, const struct settings *settings, const struct load_report *report,
                   struct err *err) __attribute__((warn_unused_result));
/* A line for each queue and flow, with the differences of what would be refused. */
void previews_put_lines(const struct previews *previews, struct buf *out);
/* The array [{"queue", "name", "fenced", "flows": [rows of preview_deployment]}]. */
void previews_put_json(const struct previews *previews, yajl_gen out);
/* False, with the exit code of the worker that would be refused, if one would be. */
bool previews_accepted(const struct previews *previews, struct err *err) __attribute__((warn_unused_result));
void previews_free(struct previews *previews);

#endif
