/* What there is to be found: search, the catalog, contracts, versions. */
#include "livedata-read/reads.h"

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
    struct search_reply *answer = ARENA_NEW(request->arena, struct search_reply);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = answer;
    return error
               ? error
               : search_read(&reading, query->q, query->limit, types.count ? &types : NULL, answer);
}

enum error catalog_handle(struct request *request, struct reply *reply)
{
    struct catalog_answer *answer = ARENA_NEW(request->arena, struct catalog_answer);

    *answer = catalog_show(request->arena, service_catalog(request), service_settings(request));
    reply->object = answer;
    return ERROR_NONE;
}

enum error domains_handle(struct request *request, struct reply *reply)
{
    struct domain_answers *answer = ARENA_NEW(request->arena, struct domain_answers);

    *answer = domains_show(request->arena, service_catalog(request));
    reply->object = answer;
    return ERROR_NONE;
}

enum error plan_handle(struct request *request, struct reply *reply)
{
    struct plan_answer *answer = ARENA_NEW(request->arena, struct plan_answer);
    struct storage_call call;
    struct db *db;
    enum error error = service_database(request, &db);

    reply->object = answer;
    if (error)
        return error;
    call = service_storage(request, db);
    return domains_plan(&call, service_settings(request), answer);
}

enum error changelog_handle(struct request *request, struct reply *reply)
{
    struct changelog *changelog = ARENA_NEW(request->arena, struct changelog);

    *changelog = version_changelog(service_catalog(request));
    reply->object = changelog;
    return ERROR_NONE;
}

enum error contracts_handle(struct request *request, struct reply *reply)
{
    const struct catalog *catalog = service_catalog(request);
    struct contract_list *list = ARENA_NEW(request->arena, struct contract_list);

    list->contracts = (struct object_list){catalog->contract_count, catalog->contracts};
    reply->object = list;
    return ERROR_NONE;
}

static enum error answer_contract(struct request *request, struct reply *reply, const char *version)
{
    struct contract_answer *answer = ARENA_NEW(request->arena, struct contract_answer);
    const struct schema_contract *contract;
    enum error error = contract_find(service_catalog(request), request->arguments[0], version,
                                     &contract, &request->problem);

    if (error)
        return error;
    *answer = contract_show(request->arena, contract);
    reply->object = answer;
    return ERROR_NONE;
}

enum error contract_latest_handle(struct request *request, struct reply *reply)
{
    return answer_contract(request, reply, NULL);
}

enum error contract_handle(struct request *request, struct reply *reply)
{
    return answer_contract(request, reply, request->arguments[1]);
}

enum error diff_handle(struct request *request, struct reply *reply)
{
    const struct catalog *catalog = service_catalog(request);
    struct contract_diff *diff = ARENA_NEW(request->arena, struct contract_diff);
    const struct schema_contract *from, *to;
    enum error error = contract_find(catalog, request->arguments[0], request->arguments[1], &from,
                                     &request->problem);

    if (!error)
        error = contract_find(catalog, request->arguments[0], request->arguments[2], &to,
                              &request->problem);
    if (error)
        return error;
    *diff = contract_compare(request->arena, from, to);
    reply->object = diff;
    return ERROR_NONE;
}

enum error validate_handle(struct request *request, struct reply *reply)
{
    const struct candidate *candidate = request->body;
    struct contract_validation *validation = ARENA_NEW(request->arena, struct contract_validation);

    reply->object = validation;
    return contract_validate(request->arena, service_catalog(request), request->arguments[0],
                             candidate->document, validation, &request->problem);
}
