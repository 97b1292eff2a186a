/* Schema contracts: reading their files, finding versions, writing them. */
#include "livedata/catalog/contracts.h"

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
    struct schema_contract *contract = &catalog->contracts[catalog->contract_count];
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
    catalog->contract_count++;
    return ERROR_NONE;
}

enum error catalog_load_contracts(struct arena *arena, const char *directory,
                                  struct catalog *catalog, struct problem *problem)
{
    struct string_list files;
    enum error error = catalog_list_files(arena, directory, &files, problem);

    if (error)
        return error;
    catalog->contracts = ARENA_ARRAY(arena, struct schema_contract, files.count);
    for (size_t i = 0; !error && i < files.count; i++)
        error = load_contract(arena, arena_print(arena, "%s/%s", directory, files.items[i]),
                              catalog, problem);
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

static void write_summary(const struct schema_contract *contract, struct json_writer *writer)
{
    writer_key_string(writer, "entity", contract->entity);
    writer_key_string(writer, "version", contract->version);
    writer_key_string(writer, "released", contract->released);
    writer_key_string(writer, "status", contract->status);
}

void contract_write_list(const struct catalog *catalog, struct json_writer *writer)
{
    writer_open_object(writer);
    writer_key(writer, "contracts");
    writer_open_array(writer);
    for (size_t i = 0; i < catalog->contract_count; i++) {
        writer_open_object(writer);
        write_summary(&catalog->contracts[i], writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    writer_close_object(writer);
}

static void write_member(const struct schema_contract *contract, const char *key,
                         struct json_writer *writer)
{
    const json_t *value = json_object_get(contract->json, key);

    if (!value || json_is_null(value))
        return;
    writer_key(writer, key);
    writer_value(writer, value);
}

void contract_write(const struct schema_contract *contract, struct json_writer *writer)
{
    writer_open_object(writer);
    write_summary(contract, writer);
    write_member(contract, "fields", writer);
    writer_key(writer, "breaking_changes");
    if (json_object_get(contract->json, "breaking_changes")) {
        writer_value(writer, json_object_get(contract->json, "breaking_changes"));
    } else {
        writer_open_array(writer);
        writer_close_array(writer);
    }
    write_member(contract, "source_events", writer);
    write_member(contract, "source_table", writer);
    write_member(contract, "freshness", writer);
    writer_close_object(writer);
}
