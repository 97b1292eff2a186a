/*
 * Several goals of several treatments as one family: p-values adjusted so that the probability of a
 * false claim anywhere is at most alpha, whatever depends on what.
 *
 * A p-value here is directed: that of the difference where it goes the claimed way, and 1 where it
 * does not. It is valid for "not better" then, at one look or at all looks, as what it is made of.
 *
 * Any goal, by Holm (1979): over all goals and treatments together. Any goal, in order
 * (gatekeeping, Maurer, Hothorn and Lehmacher 1995): a goal counts as far as all before it do, each
 * treatment at alpha over their number. All goals (intersection-union, Berger 1982): a treatment
 * has the largest p-value of its goals, Holm over the treatments; a goal claims nothing alone.
 */
#ifndef ASSAY_STATS_GOAL_FAMILY_H
#define ASSAY_STATS_GOAL_FAMILY_H

#include "base/arena.h"

#include <stddef.h>

enum goal_rule { GOAL_RULE_ANY_HOLM, GOAL_RULE_ANY_IN_ORDER, GOAL_RULE_ALL, GOAL_RULE__MAX };

struct goal_family {
    enum goal_rule rule;
    size_t goals, treatments;
};

/* At [goal * treatments + treatment], as what goal_family_adjust() fills in. */
size_t goal_family_place(const struct goal_family *family, size_t goal, size_t treatment);

/* `claims` has the adjusted p-value of each goal of each treatment, `treatments` that of the
 * treatment: the rule is met at every level from it on. */
void goal_family_adjust(const struct goal_family *family, const double *p_values,
                        struct arena *arena, double *claims, double *treatments);

/* The level of each interval, so that all those that the rule looks at hold together. */
double goal_family_interval_alpha(const struct goal_family *family, double alpha);

#endif
