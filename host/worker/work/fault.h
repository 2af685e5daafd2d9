/* What the error of a batch says about its results. */
#ifndef LUAFLOW_WORKER_WORK_FAULT_H
#define LUAFLOW_WORKER_WORK_FAULT_H

#include "base/err.h"
#include "pg/pg_unit.h"
#include "worker/work/record.h"

enum fault {
  FAULT_CONNECTION, /* it broke: nobody knows whether the batch has committed */
  FAULT_CONFLICT,   /* deadlock or serialization failure: the same again */
  FAULT_RESULT,     /* the database cannot store one of the results */
  FAULT_MISSING,    /* one of the results needs what is not there or not free; none is to blame */
  FAULT_CLAIM,      /* the claim at the end of the batch failed */
  FAULT_SERVER,     /* the server takes nothing at present */
};

enum fault fault_of(const struct pg_unit *unit, const struct record_calls *calls, const struct err *err);

#endif
