/* A page of changes with the position that the next one begins at. */
#include "livedata/reads/changes.h"

#include "livedata/timestamp.h"

static const int64_t page_bytes_most = 4 << 20;

#define OWNER struct entity_change
static const struct field change_fields[] = {
    STRING(OWNER, entity_id),
    STRING(OWNER, position, .help = "Of this change: it names the version of the entity."),
    TIME(OWNER, applied_at, .time = TIME_Z),
    BOOLEAN(OWNER, deleted),
    WRITTEN_JSON(OWNER, data, .nullable = true,
                 .help = "The entity after the change; null when it was deleted."),
};
#undef OWNER
static SCHEMA(change_schema, struct entity_change, "EntityChange", change_fields);

#define OWNER struct changes_reply
static const struct field changes_fields[] = {
    STRING(OWNER, entity_type),
    OBJECTS(OWNER, changes, change_schema, .help = "In the order in which they were applied."),
    STRING(OWNER, position, .nullable = true,
           .help = "`after` of the next page; null: the journal has no rows yet."),
    BOOLEAN(OWNER, has_more, .help = "There may be further changes by now."),
    OBJECT(OWNER, freshness, answer_freshness_schema, .omit_if_null = true),
};
#undef OWNER
SCHEMA(changes_schema, struct changes_reply, "EntityChanges", changes_fields);

static const char *position_text(const struct reading *reading, struct live_position position)
{
    char text[POSITION_TEXT];

    position_format(position, text);
    return position.seq ? arena_copy_string(reading->storage.arena, text) : NULL;
}

enum error changes_read(const struct reading *reading, const char *type_name,
                        struct live_position after, int64_t limit, struct changes_reply *reply)
{
    const struct livedata_settings *settings = reading->settings;
    const struct storage_call *call = &reading->storage;
    const struct entity_changes_limits limits = {(int)limit, page_bytes_most,
                                                 settings->stream_look_rows};
    const struct entity_type *type;
    struct entity_changes changes;
    enum error error = find_readable_type(reading, type_name, &type);

    if (!error && after.seq)
        error =
            position_check(call, after, call->now - settings->journal_retention_days * us_per_day);
    if (!error)
        error = entity_changes_after(call, type->name, after.seq, &limits, &changes);
    if (error)
        return error;
    if (changes.reached > after.seq)
        after = (struct live_position){changes.reached, changes.reached_at};
    *reply = (struct changes_reply){
        .entity_type = type->name,
        .changes = {changes.changes.count, changes.changes.items},
        .position = position_text(reading, after),
        .has_more = changes.more,
        .freshness = freshness_show(call, &reading->fresh, settings->freshness_sla_seconds)};
    return ERROR_NONE;
}
