/* The names of groups, of people and of documents. A group has no row of its own: it exists while a
 * person or a document names it. Names are compared exactly. */
#ifndef ASSAY_ACCOUNTS_GROUPS_H
#define ASSAY_ACCOUNTS_GROUPS_H

#include "accounts/store.h"

enum {
    GROUPS_MAX = 50,    /* of one person or document */
    GROUP_NAME_MAX = 64 /* code points */
};

/* `names` without blanks around them and without repetitions, in bytewise order. ERROR_INVALID
 * group_invalid: too many, or a name that is empty, too long or has a comma or a control character.
 */
MUST_CHECK enum error groups_read(struct arena *arena, const struct string_list *names,
                                  struct string_list *groups, struct problem *problem);

/* Sorts names bytewise and drops repetitions. */
void groups_sort(struct string_list *names);

/* The names of a text, separated by commas; "" and "none" are no groups. As groups_read(). */
MUST_CHECK enum error groups_of_text(struct arena *arena, const char *text,
                                     struct string_list *groups, struct problem *problem);

/* "Sales, Support"; "none" without any. From the arena. */
const char *groups_text(struct arena *arena, const struct string_list *groups);

/* A JSON list of them. From the arena. */
const char *groups_json(struct arena *arena, const struct string_list *groups);

#endif
