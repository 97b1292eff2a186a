/* Private to common/livedata/events: tables of fields, and the validation of a payload by them. */
#ifndef ASSAY_LIVEDATA_EVENTS_FIELDS_H
#define ASSAY_LIVEDATA_EVENTS_FIELDS_H

#include "livedata/events/event.h"

enum field_kind {
    TEXT_FIELD,
    WORD_FIELD,
    ORDER_ID_FIELD,
    MONEY_FIELD,
    COUNT_FIELD,
    FLAG_FIELD,
    BIT_FIELD, /* a boolean, or 0 and 1 as in databases */
    TIME_FIELD /* a text, or a number: event_timestamp() */
};

struct event_field {
    const char *name;
    enum field_kind kind;
    bool required;
    const char *const *words; /* of a WORD_FIELD */
    size_t longest;           /* of a text in characters; 0 = any */
    double most;              /* of a number; 0 = any */
    bool inclusive;           /* for money: 0 is also valid */
    bool nullable;
};

/* Checks all fields; adds each fault to the verdict. */
bool event_check_fields(const json_t *payload, const struct event_field *fields, size_t count,
                        struct event_verdict *verdict);

/* Adds a fault; always false. */
bool event_fault(struct event_verdict *verdict, enum event_fault kind, const char *field,
                 const char *type, const char *detail);
bool event_refuse(struct event_verdict *verdict, const char *field, const char *type,
                  const char *what);
void event_count_left_out(struct event_verdict *verdict);

bool event_is_word(const char *const *words, const char *text);
/* A decimal as text or number; false when it is invalid or not finite. */
bool event_decimal(const json_t *value, double *number);
int64_t event_cents(double amount);
bool event_two_decimals(double amount);
/* A time as text, or as a number since 1970: seconds, milliseconds from 1e11 on, microseconds from
 * 1e14 on. */
bool event_timestamp(const json_t *value, int64_t *timestamp);

/* The envelope of change data and its row (change.c). */
bool event_read_change(const json_t *payload, struct event *event, struct event_verdict *verdict);

extern const char *const event_order_statuses[];

/* The fields of one of `catalog_shop_events`; returns their number. `key` is the member that names
 * the entity. */
size_t event_type_fields(const char *type, const struct event_field **fields, const char **key);

#endif
