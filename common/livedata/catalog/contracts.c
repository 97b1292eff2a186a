/* Schema contracts: reading their files, finding versions, writing them. */
#include "livedata/catalog/contracts.h"

#include "base/list.h"
#include "base/number.h"
#include "base/yaml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *bare(const char *version)
{
    return *version == 'v' || *version == 'V' ? version + 1 : version;
}

int contract_compare_versions(const char *a, const char *b)
{
    int64_t left, right;
    bool left_is = integer_parse(bare(a), &left), right_is = integer_parse(bare(b), &right);
    int order = strcmp(bare(a), bare(b));

    if (left_is && right_is)
        return (left > right) - (left < right);
    if (left_is != right_is)
        return left_is ? -1 : 1;
    return (order > 0) - (order < 0);
}

static int by_entity(const void *left, const void *right)
{
    const struct schema_contract *a = left, *b = right;
    int order = strcmp(a->entity, b->entity);

    return order ? order : contract_compare_versions(a->version, b->version);
}

static void read_fields(struct arena *arena, const json_t *fields, struct schema_contract *contract)
{
    const json_t *field;
    size_t i;

    contract->fields = ARENA_ARRAY(arena, struct schema_field, json_array_size(fields));
    json_array_foreach(fields, i, field)
    {
        const char *name = catalog_text(field, "name", arena);
        const char *type = catalog_text(field, "type", arena);

        if (name)
            contract->fields[contract->field_count++] = (struct schema_field){
                name, type ? type : "", json_is_true(json_object_get(field, "required")), field};
    }
}

static enum error load_contract(struct arena *arena, const char *path, struct catalog *catalog,
                                struct problem *problem)
{
    struct schema_contract *contract =
        ARRAY_ADD(arena, catalog->contracts, catalog->contract_count);
    json_t *json;
    enum error error = yaml_read_file(arena, path, &json, problem);

    if (error)
        return error;
    *contract = (struct schema_contract){.entity = catalog_text(json, "entity", arena),
                                         .version = catalog_text(json, "version", arena),
                                         .released = catalog_text(json, "released", arena),
                                         .status = catalog_text(json, "status", arena),
                                         .json = json};
    if (!contract->entity || !contract->version || !contract->released || !contract->status)
        return problem_set(problem, ERROR_INVALID, "config_invalid",
                           "%s: entity, version, released and status are needed", path);
    contract->version = bare(contract->version);
    read_fields(arena, json_object_get(json, "fields"), contract);
    return ERROR_NONE;
}

enum error catalog_load_contracts(struct arena *arena, const char *directory,
                                  struct catalog *catalog, struct problem *problem)
{
    struct string_list files;
    enum error error = catalog_list_files(arena, directory, &files, problem);

    if (error)
        return error;
    for (size_t i = 0; !error && i < files.count; i++)
        error = load_contract(arena, arena_print(arena, "%s/%s", directory, files.items[i]),
                              catalog, problem);
    if (!error) /* else the last one is not whole */
        qsort(catalog->contracts, catalog->contract_count, sizeof catalog->contracts[0], by_entity);
    return error;
}

enum error contract_find(const struct catalog *catalog, const char *entity, const char *version,
                         const struct schema_contract **found, struct problem *problem)
{
    bool known = false, stable = false;

    *found = NULL;
    for (size_t i = 0; i < catalog->contract_count; i++) {
        const struct schema_contract *contract = &catalog->contracts[i];
        bool is_stable = strcmp(contract->status, "stable") == 0;

        if (strcmp(contract->entity, entity) != 0)
            continue;
        known = true;
        if (version ? contract_compare_versions(contract->version, version) == 0
                    : is_stable || !stable)
            *found = contract; /* they stand in the order of their versions */
        stable = stable || is_stable;
    }
    if (!known)
        return problem_set(problem, ERROR_NOT_FOUND, "unknown_contract", "Unknown contract: %.200s",
                           entity);
    if (!*found)
        return problem_set(problem, ERROR_NOT_FOUND, "unknown_contract_version",
                           "Unknown contract version: %.200s:%.100s", entity, version);
    return ERROR_NONE;
}

const char *contract_stable_version(const struct catalog *catalog, const char *entity)
{
    const struct schema_contract *contract;

    if (contract_find(catalog, entity, NULL, &contract, NULL) ||
        strcmp(contract->status, "stable") != 0)
        return NULL;
    return contract->version;
}

#define SUMMARY_ROWS                                                                               \
    STRING(OWNER, entity), STRING(OWNER, version), STRING(OWNER, released), STRING(OWNER, status)
#define OWNER struct schema_contract
static const struct field summary_fields[] = {SUMMARY_ROWS};
#undef OWNER
static SCHEMA(summary_schema, struct schema_contract, "ContractSummary", summary_fields);

#define OWNER struct contract_list
static const struct field list_fields[] = {OBJECTS(OWNER, contracts, summary_schema)};
#undef OWNER
SCHEMA(contract_list_schema, struct contract_list, "ContractList", list_fields);

#define OWNER struct contract_answer
static const struct field contract_fields[] = {
    SUMMARY_ROWS,
    JSON_OBJECTS(OWNER, fields, .omit_if_null = true),
    JSON_VALUE(OWNER, breaking_changes),
    JSON_VALUE(OWNER, source_events, .omit_if_null = true),
    JSON_VALUE(OWNER, source_table, .omit_if_null = true),
    JSON_VALUE(OWNER, freshness, .omit_if_null = true),
};
#undef OWNER
SCHEMA(contract_schema, struct contract_answer, "EntityContract", contract_fields);

/* NULL where the file does not say it. */
static json_t *member(const struct schema_contract *contract, const char *key)
{
    json_t *value = json_object_get(contract->json, key);

    return json_is_null(value) ? NULL : value;
}

struct contract_answer contract_show(struct arena *arena, const struct schema_contract *contract)
{
    struct contract_answer answer = {.entity = contract->entity,
                                     .version = contract->version,
                                     .released = contract->released,
                                     .status = contract->status,
                                     .fields = member(contract, "fields"),
                                     .breaking_changes =
                                         json_object_get(contract->json, "breaking_changes"),
                                     .source_events = member(contract, "source_events"),
                                     .source_table = member(contract, "source_table"),
                                     .freshness = member(contract, "freshness")};
    struct json_fault fault;

    if (!answer.breaking_changes && json_read(arena, "[]", 2, 1, &answer.breaking_changes, &fault))
        answer.breaking_changes = NULL;
    return answer;
}
