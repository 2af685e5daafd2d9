/* A bucket that leaks. */
#include "worker/pool/log_budget.h"

static void give_back(struct log_budget *budget, uint64_t now_ms) {
  uint64_t passed_ms = now_ms - budget->at_ms;
  budget->at_ms = now_ms;
  if (passed_ms >= (uint64_t)1000 * LOG_BUDGET_BYTES / LOG_BUDGET_BYTES_PER_S)
    budget->used = 0;
  else
    budget->used -= (int64_t)passed_ms * LOG_BUDGET_BYTES_PER_S / 1000;
  if (budget->used < 0) budget->used = 0;
}

bool log_budget_take(struct log_budget *budget, uint64_t now_ms, size_t bytes) {
  /* Of less than a millisecond nothing is given back, so that time is not lost in small pieces. */
  if (now_ms > budget->at_ms) give_back(budget, now_ms);
  if (budget->closed && budget->used <= LOG_BUDGET_BYTES / 2) budget->closed = false;
  if (bytes > (size_t)(LOG_BUDGET_BYTES - budget->used)) budget->closed = true;
  if (budget->closed) {
    budget->dropped_lines++;
    budget->dropped_bytes += (int64_t)bytes;
    return false;
  }
  budget->used += (int64_t)bytes;
  return true;
}
