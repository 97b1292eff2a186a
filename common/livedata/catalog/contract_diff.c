/* What changed between two versions of a schema contract, and whether a candidate breaks clients.
 */
#include "livedata/catalog/contracts.h"

#include "base/string_list.h"

#include <stdlib.h>
#include <string.h>

/* One change, as it is written. */
struct change {
    const char *type;
    const char *field;
    bool breaking;
    const char *from, *to;     /* types; NULL = none */
    struct string_list values; /* of an enum; NULL items = none */
    const json_t *preset;      /* of a default; NULL = none */
};

struct changes {
    size_t count;
    struct change items[512];
};

static void add(struct changes *changes, struct change change)
{
    if (changes->count < sizeof changes->items / sizeof changes->items[0])
        changes->items[changes->count++] = change;
}

static const struct schema_field *find(const struct schema_contract *contract, const char *name)
{
    for (size_t i = 0; i < contract->field_count; i++)
        if (strcmp(contract->fields[i].name, name) == 0)
            return &contract->fields[i];
    return NULL;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct schema_field *)left)->name,
                  ((const struct schema_field *)right)->name);
}

static struct schema_contract sorted(struct arena *arena, const struct schema_contract *contract)
{
    struct schema_contract copy = *contract;

    copy.fields = ARENA_ARRAY(arena, struct schema_field, contract->field_count);
    if (contract->field_count)
        memcpy(copy.fields, contract->fields, contract->field_count * sizeof copy.fields[0]);
    qsort(copy.fields, copy.field_count, sizeof copy.fields[0], by_name);
    return copy;
}

/* Enum values of `one` that `other` does not have, sorted. */
static struct string_list values_missing(struct arena *arena, const struct schema_field *one,
                                         const struct schema_field *other)
{
    struct string_list all = catalog_texts(json_object_get(one->json, "values"), arena);
    struct string_list others = catalog_texts(json_object_get(other->json, "values"), arena);
    struct string_list missing = {.items = ARENA_ARRAY(arena, const char *, all.count)};

    for (size_t i = 0; i < all.count; i++)
        if (!string_list_has(&others, all.items[i]))
            missing.items[missing.count++] = all.items[i];
    qsort(missing.items, missing.count, sizeof missing.items[0], string_list_order);
    return missing;
}

static void compare_values(struct arena *arena, const struct schema_field *from,
                           const struct schema_field *to, struct changes *changes)
{
    struct string_list removed = values_missing(arena, from, to);
    struct string_list added = values_missing(arena, to, from);

    if (removed.count)
        add(changes, (struct change){.type = "enum_values_removed",
                                     .field = to->name,
                                     .breaking = true,
                                     .values = removed});
    if (added.count)
        add(changes,
            (struct change){.type = "enum_values_added", .field = to->name, .values = added});
}

static void collect_diff(struct arena *arena, const struct schema_contract *from,
                         const struct schema_contract *to, struct changes *changes)
{
    const struct schema_contract old = sorted(arena, from), new = sorted(arena, to);

    for (size_t i = 0; i < old.field_count; i++)
        if (!find(&new, old.fields[i].name))
            add(changes, (struct change){.type = "field_removed",
                                         .field = old.fields[i].name,
                                         .breaking = true});
    for (size_t i = 0; i < new.field_count; i++)
        if (!find(&old, new.fields[i].name))
            add(changes, (struct change){.type = "field_added",
                                         .field = new.fields[i].name,
                                         .breaking = new.fields[i].required});
    for (size_t i = 0; i < new.field_count; i++) {
        const struct schema_field *field = &new.fields[i], *was = find(&old, field->name);

        if (!was)
            continue;
        if (strcmp(was->type, field->type) != 0)
            add(changes, (struct change){.type = "field_type_changed",
                                         .field = field->name,
                                         .breaking = true,
                                         .from = was->type,
                                         .to = field->type});
        if (!was->required && field->required)
            add(changes, (struct change){.type = "field_became_required",
                                         .field = field->name,
                                         .breaking = true});
        compare_values(arena, was, field, changes);
    }
}

static void write_change(const struct change *change, const char *harmless,
                         struct json_writer *writer)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", change->type);
    writer_key_string(writer, "field", change->field);
    writer_key_string(writer, "severity", change->breaking ? "breaking" : harmless);
    if (change->from) {
        writer_key_string(writer, "from", change->from);
        writer_key_string(writer, "to", change->to);
    }
    if (change->values.count) {
        writer_key(writer, "values");
        writer_open_array(writer);
        for (size_t i = 0; i < change->values.count; i++)
            writer_string(writer, change->values.items[i]);
        writer_close_array(writer);
    }
    if (change->preset) {
        writer_key(writer, "default");
        writer_value(writer, change->preset);
    }
    writer_close_object(writer);
}

/* Those that break, or those that do not. Returns how many. */
static size_t write_changes(const struct changes *changes, bool breaking, const char *key,
                            const char *harmless, struct json_writer *writer)
{
    size_t count = 0;

    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->items[i].breaking != breaking)
            continue;
        write_change(&changes->items[i], harmless, writer);
        count++;
    }
    writer_close_array(writer);
    return count;
}

void contract_write_diff(struct arena *arena, const struct schema_contract *from,
                         const struct schema_contract *to, struct json_writer *writer)
{
    struct changes *changes = ARENA_NEW(arena, struct changes);

    collect_diff(arena, from, to, changes);
    writer_open_object(writer);
    writer_key_string(writer, "entity", to->entity);
    writer_key_string(writer, "from_version", from->version);
    writer_key_string(writer, "to_version", to->version);
    (void)write_changes(changes, true, "breaking_changes", "non_breaking", writer);
    (void)write_changes(changes, false, "additive_changes", "non_breaking", writer);
    writer_close_object(writer);
}

static void judge_values(struct arena *arena, const struct schema_field *base,
                         const struct schema_field *field, struct changes *changes)
{
    struct string_list removed = values_missing(arena, base, field);
    struct string_list added = values_missing(arena, field, base);

    if (removed.count)
        add(changes, (struct change){.type = "enum_value_removed",
                                     .field = field->name,
                                     .breaking = true,
                                     .values = removed});
    if (added.count)
        add(changes,
            (struct change){.type = "enum_value_added", .field = field->name, .values = added});
}

static void judge_common(struct arena *arena, const struct schema_field *base,
                         const struct schema_field *field, struct changes *changes)
{
    const json_t *text = json_object_get(field->json, "description");
    const json_t *preset = json_object_get(field->json, "default");

    if (strcmp(base->type, field->type) != 0)
        add(changes, (struct change){.type = "field_type_changed",
                                     .field = field->name,
                                     .breaking = true,
                                     .from = base->type,
                                     .to = field->type});
    if (!base->required && field->required)
        add(changes, (struct change){
                         .type = "field_required_added", .field = field->name, .breaking = true});
    judge_values(arena, base, field, changes);
    if (text && !json_equal(text, json_object_get(base->json, "description")))
        add(changes, (struct change){.type = "description_changed", .field = field->name});
    if (preset && !json_object_get(base->json, "default"))
        add(changes,
            (struct change){.type = "field_default_added", .field = field->name, .preset = preset});
}

static void collect_judgement(struct arena *arena, const struct schema_contract *base,
                              const struct schema_contract *candidate, struct changes *changes)
{
    for (size_t i = 0; i < base->field_count; i++)
        if (!find(candidate, base->fields[i].name))
            add(changes, (struct change){.type = "field_removed",
                                         .field = base->fields[i].name,
                                         .breaking = true});
    for (size_t i = 0; i < candidate->field_count; i++) {
        const struct schema_field *field = &candidate->fields[i], *was = find(base, field->name);

        if (was)
            judge_common(arena, was, field, changes);
        else
            add(changes, (struct change){.type = field->required ? "field_required_added"
                                                                 : "field_added_optional",
                                         .field = field->name,
                                         .breaking = field->required});
    }
}

static struct schema_contract candidate_of(struct arena *arena, const json_t *json)
{
    struct schema_contract contract = {.json = json};
    const json_t *fields = json_object_get(json, "fields"), *field;
    size_t i;

    contract.fields = ARENA_ARRAY(arena, struct schema_field, json_array_size(fields));
    json_array_foreach(fields, i, field)
    {
        const char *name = catalog_text(field, "name", arena);
        const char *type = catalog_text(field, "type", arena);

        if (name)
            contract.fields[contract.field_count++] = (struct schema_field){
                name, type ? type : "", json_is_true(json_object_get(field, "required")), field};
    }
    return contract;
}

enum error contract_validate(struct arena *arena, const struct catalog *catalog, const char *entity,
                             const json_t *json, struct json_writer *writer,
                             struct problem *problem)
{
    const char *named = catalog_text(json, "entity", arena);
    const char *version = catalog_text(json, "version", arena);
    struct changes *changes = ARENA_NEW(arena, struct changes);
    const struct schema_contract *base;
    struct schema_contract candidate;
    enum error error = contract_find(catalog, entity, NULL, &base, problem);
    size_t breaking;

    if (error)
        return error;
    if (named && strcmp(named, entity) != 0)
        return problem_set(problem, ERROR_INVALID, "schema_entity_mismatch",
                           "Schema entity mismatch: expected %s", entity);
    candidate = candidate_of(arena, json);
    candidate.version = version ? version : base->version;
    collect_judgement(arena, base, &candidate, changes);
    writer_open_object(writer);
    writer_key_string(writer, "entity", entity);
    writer_key_string(writer, "base_version", base->version);
    writer_key_string(writer, "candidate_version", candidate.version);
    breaking = write_changes(changes, true, "breaking_changes", "safe", writer);
    (void)write_changes(changes, false, "safe_changes", "safe", writer);
    writer_key_boolean(writer, "is_breaking", breaking > 0);
    writer_key_boolean(writer, "requires_version_bump",
                       breaking > 0 &&
                           contract_compare_versions(candidate.version, base->version) <= 0);
    writer_close_object(writer);
    return ERROR_NONE;
}
