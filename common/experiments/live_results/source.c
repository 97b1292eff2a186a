/* The block about the source of a metric. */
#include "experiments/live_results/source.h"

const char *const live_source_states[] = {"never_read", "fresh", "stale", NULL};

#define OWNER struct live_source_block
static const struct field source_fields[] = {
    CHOICE(OWNER, status, live_source_states, .choice_count = 3,
           .help = "fresh; stale by one of the two limits; never_read: not once to the end. "
                   "Without fresh rows there is no verdict."),
    STRING(OWNER, metric, .help = "Name under which rows are recorded."),
    STRING(OWNER, entity_type),
    STRING(OWNER, user_column),
    STRING(OWNER, value_column, .nullable = true, .help = "null: each row counts as 1."),
    STRING(OWNER, time_column),
    STRING(OWNER, position, .nullable = true,
           .help = "Watermark: the position in live data up to which rows were read."),
    TIME_OR_NULL(OWNER, read_at, .time = TIME_Z, .help = "When rows were last read."),
    TIME_OR_NULL(OWNER, complete_at, .time = TIME_Z,
                 .help = "All changes that live data had applied by then have been read."),
    NULLABLE_NUMBER(OWNER, event_age_seconds, ROUNDED(3),
                    .help = "How far live data itself lagged behind its sources at that time."),
    NULLABLE_NUMBER(OWNER, stale_seconds, .help = "AB_LIVEDATA_STALE_SECONDS."),
    NULLABLE_NUMBER(OWNER, event_age_seconds_max,
                    .help = "AB_LIVEDATA_EVENT_AGE_SECONDS; null: not judged."),
    INTEGER(OWNER, rows_read, .help = "Versions of rows."),
    INTEGER(OWNER, rows_recorded, .help = "Rows that count, in their newest version."),
    INTEGER(OWNER, rows_unusable, .help = "Versions without a user, a time or a number."),
    TIME_OR_NULL(OWNER, failed_at, .time = TIME_Z,
                 .help = "When reading failed last, if it has not succeeded since."),
    STRING(OWNER, failure, .nullable = true),
};
#undef OWNER
SCHEMA(live_source_schema, struct live_source_block, "LiveSource", source_fields,
       .help = "Of a metric that is read from live data: source, watermark and freshness.");

const struct live_source_block *live_source_shown(const struct live_source *source,
                                                  enum live_source_state state, struct arena *arena)
{
    struct live_source_block *block = ARENA_NEW(arena, struct live_source_block);

    *block = (struct live_source_block){
        .status = (int)state,
        .metric = source->event_name,
        .entity_type = source->entity_type,
        .user_column = source->user_column,
        .value_column = source->value_column,
        .time_column = source->time_column,
        .position = source->position,
        .read_at = source->read_at,
        .complete_at = source->complete_at,
        .event_age_seconds = source->event_age_seconds,
        .stale_seconds = {source->stale_seconds > 0, source->stale_seconds},
        .event_age_seconds_max = {source->event_age_seconds_max > 0, source->event_age_seconds_max},
        .rows_read = source->rows_read,
        .rows_recorded = source->rows_recorded,
        .rows_unusable = source->rows_unusable,
        .failed_at = source->failed_at,
        .failure = source->failure};
    return block;
}

const struct live_source_block *live_results_source(const struct live_view *view,
                                                    struct arena *arena)
{
    return view->has_source ? live_source_shown(&view->source, view->source_state, arena) : NULL;
}
