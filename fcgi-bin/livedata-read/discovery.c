/* What there is to be found: search, the catalog, contracts, versions, service levels. */
#include "livedata-read/reads.h"

#include "livedata/catalog/contracts.h"
#include "livedata/reads/discovery.h"
#include "livedata/reads/slo.h"
#include "livedata/shapes.h"

#include <ctype.h>
#include <string.h>

enum { TYPES_MAX = 64 };

struct search_query {
    const char *q;
    int64_t limit;
    const char *entity_types; /* the last one; all of them are read from the query itself */
};

#define OWNER struct search_query
static const struct field search_query_fields[] = {
    STRING(OWNER, q, .required = true, .min_length = 2, .help = "Words to be found."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(50), .default_value = 10,
            .help = "Most results."),
    STRING(OWNER, entity_types, .nullable = true,
           .help = "Types of entities, repeated or with commas."),
};
#undef OWNER
SCHEMA(search_query_schema, struct search_query, "SearchQuery", search_query_fields);

static const struct field hit_fields[] = {
    TELLS_TEXT("type"),    TELLS_TEXT("id"),      TELLS_TEXT_OR_NULL("entity_type"),
    TELLS_NUMBER("score"), TELLS_TEXT("snippet"), TELLS_TEXT("endpoint")};
static TELLING(hit_schema, "SearchResult", hit_fields);
static const struct field search_fields[] = {
    TELLS_TEXT("query"),
    TELLS_LIST_OF("results", &hit_schema),
    TELLS_FLAG("partial"),
    TELLS_FLAG("degraded"),
    TELLS_INTEGER("indexed_documents"),
    TELLS_INTEGER_OR_NULL("entity_scan_limit"),
    TELLS_TEXTS("partial_entity_types"),
    TELLS_TEXTS("failed_entity_types"),
};
TELLING(search_schema, "SearchResponse", search_fields);

static const struct field catalog_fields[] = {TELLS_OBJECT("entities"), TELLS_OBJECT("metrics"),
                                              TELLS_OBJECT("streaming_sources"),
                                              TELLS_OBJECT("audit_sources")};
TELLING(catalog_schema, "CatalogResponse", catalog_fields);

static const struct field slo_fields[] = {
    TELLS_TEXT("name"),
    TELLS_NUMBER("target"),
    TELLS_NUMBER_OR_NULL("current"),
    TELLS_NUMBER_OR_NULL("error_budget_remaining"),
    TELLS_TEXT("status"),
    TELLS_INTEGER("window_days"),
    TELLS_NUMBER_OR_NULL("good"),
    TELLS_NUMBER_OR_NULL("valid"),
    TELLS_TEXT("unit"),
    TELLS_OBJECT("burn_rates"),
    TELLS_OBJECT("diagnostic"),
};
static TELLING(slo_status_schema, "SLOStatus", slo_fields);
static const struct field slos_fields[] = {TELLS_LIST_OF("slos", &slo_status_schema),
                                           TELLS_TEXT("status"),
                                           TELLS_NUMBER_OR_NULL("error_budget_remaining")};
TELLING(slo_schema, "SLOResponse", slos_fields);

static const struct field changelog_fields[] = {TELLS_TEXT("latest_version"),
                                                TELLS_OBJECTS("versions")};
TELLING(changelog_schema, "ChangelogResponse", changelog_fields);
static const struct field contracts_fields[] = {TELLS_OBJECTS("contracts")};
TELLING(contracts_schema, "ContractList", contracts_fields);
static const struct field contract_fields[] = {
    TELLS_TEXT("entity"), TELLS_TEXT("version"),   TELLS_TEXT("released"),
    TELLS_TEXT("status"), TELLS_OBJECTS("fields"), TELLS_ANY("breaking_changes")};
TELLING(contract_schema, "EntityContract", contract_fields);
static const struct field diff_fields[] = {
    TELLS_TEXT("entity"), TELLS_TEXT("from_version"), TELLS_TEXT("to_version"),
    TELLS_OBJECTS("breaking_changes"), TELLS_OBJECTS("additive_changes")};
TELLING(diff_schema, "ContractDiff", diff_fields);
static const struct field validation_fields[] = {
    TELLS_TEXT("entity"),
    TELLS_TEXT("base_version"),
    TELLS_TEXT("candidate_version"),
    TELLS_OBJECTS("breaking_changes"),
    TELLS_OBJECTS("safe_changes"),
    TELLS_FLAG("is_breaking"),
    TELLS_FLAG("requires_version_bump"),
};
TELLING(validation_schema, "ContractValidation", validation_fields);

/* A candidate is taken as it is. */
struct candidate {
    const json_t *document;
};
const struct schema candidate_schema = {.name = "ContractCandidate",
                                        .size = sizeof(struct candidate),
                                        .extra = EXTRA_KEEP,
                                        .document = offsetof(struct candidate, document)};

static int hex_digit(char byte)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, tolower((unsigned char)byte));

    return byte && at ? (int)(at - digits) : -1;
}

/* Percent-decoded, in lower case. */
static char *decoded(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        int high = text[i] == '%' && i + 2 < length + 1 ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;

        copy[used] = text[i] == '+' ? ' ' : text[i];
        if (low >= 0) {
            copy[used] = (char)(high * 16 + low);
            i += 2;
        }
        copy[used] = (char)tolower((unsigned char)copy[used]);
        used++;
    }
    return copy;
}

/* Those between commas, trimmed. */
static void add_types(struct arena *arena, const char *list, struct string_list *types)
{
    while (*list) {
        size_t length = strcspn(list, ","), skip = strspn(list, " ");
        size_t used = length > skip ? length - skip : 0;

        while (used && list[skip + used - 1] == ' ')
            used--;
        if (used && types->count < TYPES_MAX)
            types->items[types->count++] = arena_copy(arena, list + skip, used);
        list += length + (list[length] == ',');
    }
}

/* The parameter may be repeated, and hold several with commas. */
static struct string_list asked_types(struct request *request)
{
    static const char name[] = "entity_types=";
    struct string_list types = {.items = ARENA_ARRAY(request->arena, const char *, TYPES_MAX)};
    const char *at = request_header(request, "QUERY_STRING");

    while (at && *at) {
        size_t length = strcspn(at, "&");

        if (strncmp(at, name, sizeof name - 1) == 0)
            add_types(request->arena,
                      decoded(request->arena, at + sizeof name - 1, length - (sizeof name - 1)),
                      &types);
        at += length + (at[length] == '&');
    }
    return types;
}

enum error search_handle(struct request *request, struct reply *reply)
{
    const struct search_query *query = request->query;
    struct string_list types = asked_types(request);
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error
                 : write_search(&writer, &reading, query->q, query->limit,
                                types.count ? &types : NULL);
}

enum error catalog_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);

    write_catalog(&writer, service_catalog(request));
    return ERROR_NONE;
}

enum error slo_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    return error ? error
                 : slo_write_all(&reading.storage, reading.catalog, reading.settings->slo_file,
                                 &writer);
}

enum error changelog_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);

    version_write_changelog(service_catalog(request), &writer);
    return ERROR_NONE;
}

enum error contracts_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);

    contract_write_list(service_catalog(request), &writer);
    return ERROR_NONE;
}

static enum error write_contract(struct request *request, struct reply *reply, const char *version)
{
    struct json_writer writer = service_writer(reply);
    const struct schema_contract *contract;
    enum error error = contract_find(service_catalog(request), request->arguments[0], version,
                                     &contract, &request->problem);

    if (!error)
        contract_write(contract, &writer);
    return error;
}

enum error contract_latest_handle(struct request *request, struct reply *reply)
{
    return write_contract(request, reply, NULL);
}

enum error contract_handle(struct request *request, struct reply *reply)
{
    return write_contract(request, reply, request->arguments[1]);
}

enum error diff_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    const struct catalog *catalog = service_catalog(request);
    const struct schema_contract *from, *to;
    enum error error = contract_find(catalog, request->arguments[0], request->arguments[1], &from,
                                     &request->problem);

    if (!error)
        error = contract_find(catalog, request->arguments[0], request->arguments[2], &to,
                              &request->problem);
    if (!error)
        contract_write_diff(request->arena, from, to, &writer);
    return error;
}

enum error validate_handle(struct request *request, struct reply *reply)
{
    const struct candidate *candidate = request->body;
    struct json_writer writer = service_writer(reply);

    return contract_validate(request->arena, service_catalog(request), request->arguments[0],
                             candidate->document, &writer, &request->problem);
}
