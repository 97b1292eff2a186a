/*
 * Budgets of keys, teams and customers, and what they have spent. A call is counted in every budget
 * of its key, its team and its customer, or in none: first with the most it may cost (held), later
 * with its actual cost.
 *
 * Exactness: a transaction that changes amounts first locks the rows of the budgets in the order of
 * their ids, then reads and writes their parts in that order, and the service's day last. So two
 * calls never both take the last room, on any number of hosts, and no two transactions wait for
 * each other. Windows follow the clock of the database.
 */
#ifndef ASSAY_ORCHESTRATOR_KEYS_BUDGET_STORE_H
#define ASSAY_ORCHESTRATOR_KEYS_BUDGET_STORE_H

#include "base/schema.h"
#include "db/db.h"
#include "orchestrator/keys/window.h"

enum budget_owner { OWNER_KEY, OWNER_TEAM, OWNER_CUSTOMER, BUDGET_OWNER__MAX };
extern const char *const budget_owner_names[BUDGET_OWNER__MAX + 1];

enum { BUDGETS_PER_OWNER = 8, BUDGET_ALERTS_MAX = 5 };

/* Who pays for a call. "" = none. */
struct payer {
    const char *key_id, *team_id, *customer_id;
};

/* A row of orch_budgets. Money is billionths of a US dollar. */
struct budget {
    const char *id;
    int owner_kind; /* enum budget_owner */
    const char *owner_id;
    int period; /* enum budget_period */
    bool rolling;
    int64_t limit_nano_usd;
    int64_t extra_nano_usd; /* temporary increase, until: */
    struct optional_integer extra_until;
    struct integer_list alert_percents;
    int64_t created_at;
    int64_t read_at; /* the database's clock when the row was read */
};

struct budget_list {
    size_t count;
    struct budget *items;
};

/* The limit at the time the row was read. */
int64_t budget_limit_now(const struct budget *budget);

/* Where an amount is counted. */
struct budget_charge {
    const char *budget_id;
    int64_t part_at;
};
struct budget_charges {
    OBJECT_LIST(struct budget_charge, charges);
};
SCHEMA_OF(budget_charges_schema, struct budget_charges);

/* Charges as stored with a hold, and back; memory from the arena. */
const char *budget_charges_text(struct arena *arena, const struct budget_charges *charges);
void budget_charges_read(struct arena *arena, const char *text, struct budget_charges *charges);

/* Changes of parts that are made together. */
struct budget_change {
    struct budget_charge charge;
    int64_t amount, held;
};
struct budget_changes {
    size_t count;
    struct budget_change *items;
};

/* Adds `amount` to the spent and held sum of each charge, and `held` to its held part. */
void budget_changes_add(struct arena *arena, struct budget_changes *changes,
                        const struct budget_charges *charges, int64_t amount, int64_t held);

/* Locks the budgets of the payer (NULL = of nobody) and those of the changes until the transaction
 * ends; gives those of the payer. */
MUST_CHECK enum error budgets_lock(struct db *db, struct arena *arena, const struct payer *payer,
                                   const struct budget_changes *changes, struct budget_list *list,
                                   struct problem *problem);

/* Writes changes of locked budgets. */
MUST_CHECK enum error budgets_change(struct db *db, struct budget_changes *changes,
                                     struct problem *problem);

/* What a budget has spent and holds in its current window. */
struct budget_state {
    int64_t total; /* spent and held */
    int64_t held;
    struct budget_window window;
};
MUST_CHECK enum error budget_state_read(struct db *db, const struct budget *budget,
                                        struct budget_state *state, struct problem *problem);

/* Which budget has no room for a call. */
struct budget_refusal {
    const struct budget *budget;
    const char *owner_name;
    int64_t limit, spent, held, price;
    int64_t resets_at; /* when there is room again, if nothing else is spent */
    const char *message;
    double retry_after; /* seconds until then */
};

/* Holds `nano_usd` in each of the locked budgets and adds the charges; or `*refusal` names the
 * first without room, and nothing is held. */
MUST_CHECK enum error budgets_take(struct db *db, struct arena *arena,
                                   const struct budget_list *list, int64_t nano_usd,
                                   struct budget_charges *charges, struct budget_refusal **refusal,
                                   struct problem *problem);

/* The same for the service's limit of the day (UTC): one conditional statement. `*spent` is what
 * the day has spent and holds when it is refused. */
MUST_CHECK enum error service_day_take(struct db *db, struct arena *arena, int64_t nano_usd,
                                       int64_t limit, struct budget_charges *charges, bool *granted,
                                       int64_t *spent, struct problem *problem);

/* For administrators. ERROR_NOT_FOUND budget_not_found; ERROR_CONFLICT too_many_budgets. */
MUST_CHECK enum error budget_add(struct db *db, struct arena *arena, struct budget *budget,
                                 struct problem *problem);
MUST_CHECK enum error budget_update(struct db *db, struct arena *arena, const struct budget *budget,
                                    struct problem *problem);
MUST_CHECK enum error budget_find(struct db *db, struct arena *arena, const char *id,
                                  struct budget *budget, struct problem *problem);
MUST_CHECK enum error budget_delete(struct db *db, const char *id, struct problem *problem);
/* The name of a key, team or customer; "" when it is gone. */
MUST_CHECK enum error budget_owner_name(struct db *db, struct arena *arena, const char *owner_id,
                                        const char **name, struct problem *problem);
MUST_CHECK enum error budget_owner_exists(struct db *db, int kind, const char *id, bool *exists,
                                          struct problem *problem);
/* Of one owner, or of all ("" = all). */
MUST_CHECK enum error budget_list_of(struct db *db, struct arena *arena, const char *owner_id,
                                     struct budget_list *list, struct problem *problem);

/* Deletes parts that count in no window any more, also not when the clock is set back a little. */
MUST_CHECK enum error budget_parts_forget(struct db *db, struct arena *arena,
                                          struct problem *problem);

#endif
