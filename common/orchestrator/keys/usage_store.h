/* What was used: steps that have ended, summed per day, key, model and provider. It is written in
 * the transaction that ends the task, so it is the sum of the stored steps, and it stays when tasks
 * are deleted. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_USAGE_STORE_H
#define ASSAY_ORCHESTRATOR_KEYS_USAGE_STORE_H

#include "orchestrator/keys/budget_store.h"

struct usage {
    const char *day; /* "2026-11-27" in the service's time zone */
    const char *key_id, *team_id, *customer_id;
    const char *model_id, *provider;
    int64_t calls, failures;
    int64_t input_tokens, output_tokens, cached_tokens;
    int64_t cache_hits; /* calls whose prompt, or part of it, came from a cache */
    int64_t duration_ms, timed_calls;
    int64_t nano_usd;
    int64_t excess_nano_usd; /* billed by providers beyond what was held */
    int64_t saved_calls;     /* not made: a kept answer was given; with what they would have used */
    int64_t saved_tokens, saved_nano_usd;
};

struct usage_list {
    size_t count;
    struct usage *items;
};

/* Adds a row to a list, to the row with the same day, model and provider if there is one. */
void usage_add(struct arena *arena, struct usage_list *list, const struct usage *more);

/* Adds the rows to the stored ones, in an order that all transactions share. */
MUST_CHECK enum error usage_book(struct db *db, struct usage_list *list, struct problem *problem);

/* What to sum. Texts are "" for any; days are inclusive. */
struct usage_filter {
    const char *from, *to;
    const char *key_id, *team_id, *customer_id, *model_id, *provider;
    bool by_day, by_key, by_team, by_customer, by_model, by_provider; /* the others are "" */
};

/* Sums, by day, key, team, customer, model and provider. */
MUST_CHECK enum error usage_read(struct db *db, struct arena *arena,
                                 const struct usage_filter *filter, struct usage_list *list,
                                 struct problem *problem);

#endif
