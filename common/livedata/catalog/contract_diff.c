/* What changed between two versions of a schema contract, and whether a candidate breaks clients.
 */
#include "livedata/catalog/contracts.h"

#include "base/string_list.h"

#include <stdlib.h>
#include <string.h>

struct changes {
    size_t count;
    struct contract_change items[512];
};

static void add(struct changes *changes, struct contract_change change)
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
    struct string_list all = json_strings(arena, json_object_get(one->json, "values"));
    struct string_list others = json_strings(arena, json_object_get(other->json, "values"));
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
        add(changes, (struct contract_change){.type = "enum_values_removed",
                                              .field = to->name,
                                              .breaking = true,
                                              .values = removed});
    if (added.count)
        add(changes, (struct contract_change){
                         .type = "enum_values_added", .field = to->name, .values = added});
}

static void collect_diff(struct arena *arena, const struct schema_contract *from,
                         const struct schema_contract *to, struct changes *changes)
{
    const struct schema_contract old = sorted(arena, from), new = sorted(arena, to);

    for (size_t i = 0; i < old.field_count; i++)
        if (!find(&new, old.fields[i].name))
            add(changes, (struct contract_change){.type = "field_removed",
                                                  .field = old.fields[i].name,
                                                  .breaking = true});
    for (size_t i = 0; i < new.field_count; i++)
        if (!find(&old, new.fields[i].name))
            add(changes, (struct contract_change){.type = "field_added",
                                                  .field = new.fields[i].name,
                                                  .breaking = new.fields[i].required});
    for (size_t i = 0; i < new.field_count; i++) {
        const struct schema_field *field = &new.fields[i], *was = find(&old, field->name);

        if (!was)
            continue;
        if (strcmp(was->type, field->type) != 0)
            add(changes, (struct contract_change){.type = "field_type_changed",
                                                  .field = field->name,
                                                  .breaking = true,
                                                  .from = was->type,
                                                  .to = field->type});
        if (!was->required && field->required)
            add(changes, (struct contract_change){.type = "field_became_required",
                                                  .field = field->name,
                                                  .breaking = true});
        compare_values(arena, was, field, changes);
    }
}

#define OWNER struct contract_change
static const struct field change_fields[] = {
    STRING(OWNER, type),
    STRING(OWNER, field),
    STRING(OWNER, severity),
    STRING(OWNER, from, .omit_if_null = true),
    STRING(OWNER, to, .omit_if_null = true),
    STRINGS(OWNER, values, .omit_if_null = true),
    {.name = "default",
     .type = FIELD_JSON,
     .omit_if_null = true,
     .offset = offsetof(struct contract_change, preset)},
};
#undef OWNER
static SCHEMA(change_schema, struct contract_change, "ContractChange", change_fields);

#define OWNER struct contract_diff
static const struct field diff_fields[] = {STRING(OWNER, entity), STRING(OWNER, from_version),
                                           STRING(OWNER, to_version),
                                           OBJECTS(OWNER, breaking_changes, change_schema),
                                           OBJECTS(OWNER, additive_changes, change_schema)};
#undef OWNER
SCHEMA(contract_diff_schema, struct contract_diff, "ContractDiff", diff_fields);

#define OWNER struct contract_validation
static const struct field validation_fields[] = {
    STRING(OWNER, entity),
    STRING(OWNER, base_version),
    STRING(OWNER, candidate_version),
    OBJECTS(OWNER, breaking_changes, change_schema),
    OBJECTS(OWNER, safe_changes, change_schema),
    BOOLEAN(OWNER, is_breaking),
    BOOLEAN(OWNER, requires_version_bump),
};
#undef OWNER
SCHEMA(contract_validation_schema, struct contract_validation, "ContractValidation",
       validation_fields);

/* Those that break, or those that do not. `harmless` is the severity of the latter. */
static struct object_list changes_of(struct arena *arena, const struct changes *changes,
                                     bool breaking, const char *harmless)
{
    struct contract_change *items = ARENA_ARRAY(arena, struct contract_change, changes->count);
    size_t count = 0;

    for (size_t i = 0; i < changes->count; i++) {
        if (changes->items[i].breaking != breaking)
            continue;
        items[count] = changes->items[i];
        items[count++].severity = breaking ? "breaking" : harmless;
    }
    return (struct object_list){count, items};
}

struct contract_diff contract_compare(struct arena *arena, const struct schema_contract *from,
                                      const struct schema_contract *to)
{
    struct changes *changes = ARENA_NEW(arena, struct changes);

    collect_diff(arena, from, to, changes);
    return (struct contract_diff){
        .entity = to->entity,
        .from_version = from->version,
        .to_version = to->version,
        .breaking_changes = changes_of(arena, changes, true, "non_breaking"),
        .additive_changes = changes_of(arena, changes, false, "non_breaking")};
}

static void judge_values(struct arena *arena, const struct schema_field *base,
                         const struct schema_field *field, struct changes *changes)
{
    struct string_list removed = values_missing(arena, base, field);
    struct string_list added = values_missing(arena, field, base);

    if (removed.count)
        add(changes, (struct contract_change){.type = "enum_value_removed",
                                              .field = field->name,
                                              .breaking = true,
                                              .values = removed});
    if (added.count)
        add(changes, (struct contract_change){
                         .type = "enum_value_added", .field = field->name, .values = added});
}

static void judge_common(struct arena *arena, const struct schema_field *base,
                         const struct schema_field *field, struct changes *changes)
{
    const json_t *text = json_object_get(field->json, "description");
    const json_t *preset = json_object_get(field->json, "default");

    if (strcmp(base->type, field->type) != 0)
        add(changes, (struct contract_change){.type = "field_type_changed",
                                              .field = field->name,
                                              .breaking = true,
                                              .from = base->type,
                                              .to = field->type});
    if (!base->required && field->required)
        add(changes, (struct contract_change){
                         .type = "field_required_added", .field = field->name, .breaking = true});
    judge_values(arena, base, field, changes);
    if (text && !json_equal(text, json_object_get(base->json, "description")))
        add(changes, (struct contract_change){.type = "description_changed", .field = field->name});
    if (preset && !json_object_get(base->json, "default"))
        add(changes, (struct contract_change){.type = "field_default_added",
                                              .field = field->name,
                                              .preset = (json_t *)preset});
}

static void collect_judgement(struct arena *arena, const struct schema_contract *base,
                              const struct schema_contract *candidate, struct changes *changes)
{
    for (size_t i = 0; i < base->field_count; i++)
        if (!find(candidate, base->fields[i].name))
            add(changes, (struct contract_change){.type = "field_removed",
                                                  .field = base->fields[i].name,
                                                  .breaking = true});
    for (size_t i = 0; i < candidate->field_count; i++) {
        const struct schema_field *field = &candidate->fields[i], *was = find(base, field->name);

        if (was)
            judge_common(arena, was, field, changes);
        else
            add(changes, (struct contract_change){.type = field->required ? "field_required_added"
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
                             const json_t *json, struct contract_validation *validation,
                             struct problem *problem)
{
    const char *named = catalog_text(json, "entity", arena);
    const char *version = catalog_text(json, "version", arena);
    struct changes *changes = ARENA_NEW(arena, struct changes);
    const struct schema_contract *base;
    struct schema_contract candidate;
    enum error error = contract_find(catalog, entity, NULL, &base, problem);

    if (error)
        return error;
    if (named && strcmp(named, entity) != 0)
        return problem_set(problem, ERROR_INVALID, "schema_entity_mismatch",
                           "Schema entity mismatch: expected %s", entity);
    candidate = candidate_of(arena, json);
    candidate.version = version ? version : base->version;
    collect_judgement(arena, base, &candidate, changes);
    *validation =
        (struct contract_validation){.entity = entity,
                                     .base_version = base->version,
                                     .candidate_version = candidate.version,
                                     .breaking_changes = changes_of(arena, changes, true, "safe"),
                                     .safe_changes = changes_of(arena, changes, false, "safe")};
    validation->is_breaking = validation->breaking_changes.count > 0;
    validation->requires_version_bump =
        validation->is_breaking && contract_compare_versions(candidate.version, base->version) <= 0;
    return ERROR_NONE;
}
