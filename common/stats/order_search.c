/* Bisection over the doubles themselves: their bit patterns are integers in the same order. */
#include "stats/order_search.h"

#include "math/sort.h"
#include "stats/sample.h"

#include <math.h>
#include <stdbool.h>

/* The range of the search: doubles, by their keys, above `low` and up to `high`, and the number of
 * members up to either. */
struct bracket {
    int64_t low, high;
    int64_t up_to_low, up_to_high;
};

/* A double inside the bracket to count up to next. Linear interpolation between the ends comes
 * close to the rank; the probe is moved slightly past it, to the side whose end did not move last,
 * so that both ends converge. Every third step halves the keys, so that no data take more than 200
 * steps. */
static int64_t next_probe(const struct bracket *bracket, int64_t rank, int step, bool low_moved)
{
    double low = sort_value(bracket->low + 1), high = sort_value(bracket->high);
    double between = (double)(bracket->up_to_high - bracket->up_to_low), past = between / 32 + 8;
    double aim = (double)(rank - bracket->up_to_low) + (low_moved ? past : -past);
    double value = sample_interpolate(low, high, fmin(fmax(aim / between, 0), 1));
    int64_t probe = sort_key(value);

    if (step % 3 == 2 || isinf(value) || probe <= bracket->low || probe >= bracket->high)
        return bracket->low + (int64_t)(((uint64_t)bracket->high - (uint64_t)bracket->low) / 2);
    return probe;
}

/* Narrows the range of a rank by a count. True when the rank is above the probe. */
static bool narrow(struct bracket *bracket, int64_t rank, int64_t probe, int64_t count)
{
    bool above = count < rank;

    if (above && probe > bracket->low) {
        bracket->low = probe;
        bracket->up_to_low = count;
    }
    if (!above && probe < bracket->high) {
        bracket->high = probe;
        bracket->up_to_high = count;
    }
    return above;
}

static bool is_wide(const struct bracket *bracket)
{
    return bracket->high - 1 > bracket->low &&
           bracket->up_to_high - bracket->up_to_low > ORDER_SEARCH_FEW;
}

/* The member in a bracket that is narrow enough. */
static double member_in(const struct order_source *source, const struct bracket *bracket,
                        int64_t rank)
{
    double few[ORDER_SEARCH_FEW] = {0};

    if (bracket->up_to_high - bracket->up_to_low > ORDER_SEARCH_FEW) /* all equal */
        return sort_value(bracket->high);
    sort_few(few, source->list_between(source->data, sort_value(bracket->low + 1),
                                       sort_value(bracket->high), few));
    return few[rank - bracket->up_to_low - 1];
}

void order_search(const struct order_source *source, const int64_t *ranks, size_t rank_count,
                  double *members)
{
    struct bracket brackets[ORDER_SEARCH_RANKS_MAX];

    for (size_t i = 0; i < rank_count; i++)
        brackets[i] = (struct bracket){.low = sort_key(source->least) - 1,
                                       .high = sort_key(source->most),
                                       .up_to_high = source->count};
    for (size_t i = 0; i < rank_count; i++) {
        bool low_moved = false;

        for (int step = 0; is_wide(&brackets[i]); step++) {
            int64_t probe = next_probe(&brackets[i], ranks[i], step, low_moved);
            int64_t count = source->count_up_to(source->data, sort_value(probe));

            low_moved = narrow(&brackets[i], ranks[i], probe, count);
            for (size_t j = i + 1; j < rank_count; j++)
                narrow(&brackets[j], ranks[j], probe, count);
        }
        members[i] = member_in(source, &brackets[i], ranks[i]);
    }
}
