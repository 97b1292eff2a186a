/* Effective votes on standard input and output, for orchestrator_votes_test.py. */
#include "orchestrator/measures/effective_votes.h"
#include "support/lines.h"

/* voters, then for each record its voters, first, second, right and questions. */
static void answer_estimate(struct line *line)
{
    size_t voters = (size_t)line_next(line), count = (size_t)line_next(line);
    struct vote_record *records = ARENA_ARRAY(line->arena, struct vote_record, count + 1);
    struct vote_estimate estimate;

    for (size_t i = 0; i < count; i++) {
        records[i].voters = (int64_t)line_next(line);
        records[i].first = (int64_t)line_next(line);
        records[i].second = (int64_t)line_next(line);
        records[i].right = (int64_t)line_next(line);
        records[i].questions = (int64_t)line_next(line);
    }
    votes_estimate(records, count, voters, &estimate);
    PRINT_NUMBERS(estimate.correlation, estimate.error_rate, estimate.independent,
                  estimate.majority_error_rate, (double)estimate.known, (double)estimate.unknown);
}

/* first second open */
static void answer_needed(struct line *line)
{
    size_t first = (size_t)line_next(line), second = (size_t)line_next(line);

    PRINT_NUMBERS((double)votes_needed(first, second, (size_t)line_next(line)));
}

static const struct line_method methods[] = {
    {"estimate", answer_estimate},
    {"needed", answer_needed},
};

LINES_MAIN(methods)
