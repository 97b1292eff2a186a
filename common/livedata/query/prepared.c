/* Plans a question by the shop's planner, then by that of all entities, then by a model. */
#include "livedata/query/prepared.h"

#include "base/string_list.h"
#include "base/text.h"
#include "livedata/query/model.h"
#include "livedata/query/names.h"
#include "livedata/query/question.h"
#include "livedata/tables/tables.h"

#include <string.h>

enum { NAMES_BYTES_MAX = 4000, LEFT_BYTES_MAX = 2000, QUESTION_SHOWN = 200 };

struct preparation {
    const struct storage_call *call;
    const struct catalog *catalog;
    const struct catalog *readable; /* what of it the key may read: all that answers name */
    const struct livedata_settings *settings;
    const struct query_request *request;
    struct string_list allowed;
    struct prepared_question *prepared;
};

static void append_name(struct text *names, const char *name)
{
    text_append_format(names, "%s%s", names->length ? ", " : "", name);
}

/* Known names that are like words of the question: "Nearest known names: 'site'." Words that are
 * known only do not go with the others: "Known, but not beside the other words: 'trips'." */
static const char *nearest_names(const struct preparation *preparation,
                                 const struct string_list *left)
{
    struct arena *arena = preparation->call->arena;
    struct text names, known;

    text_start(&names, arena, NAMES_BYTES_MAX);
    text_start(&known, arena, NAMES_BYTES_MAX);
    for (size_t i = 0; i < left->count; i++) {
        bool is_known = name_is_known(arena, preparation->readable, left->items[i]);
        struct text *list = is_known ? &known : &names;
        const char *name =
            is_known ? left->items[i] : name_nearest(arena, preparation->readable, left->items[i]);

        if (name)
            text_append_format(list, "%s'%s'", list->length ? ", " : "", name);
    }
    return arena_print(arena, "%s%s%s%s%s%s",
                       known.length ? " Known, but not beside the other words: " : "", known.bytes,
                       known.length ? "." : "", names.length ? " Nearest known names: " : "",
                       names.bytes, names.length ? "." : "");
}

/* Names the words that no plan has used, so that the user can remove or rephrase them, and what
 * questions can be about. */
static enum error untranslatable(const struct preparation *preparation,
                                 const struct string_list *left, const char *conflict)
{
    const struct catalog *catalog = preparation->readable;
    const char *question = preparation->request->question;
    struct arena *arena = preparation->call->arena;
    struct text entities, metrics, words;

    text_start(&entities, arena, NAMES_BYTES_MAX);
    text_start(&metrics, arena, NAMES_BYTES_MAX);
    text_start(&words, arena, LEFT_BYTES_MAX);
    for (size_t i = 0; i < left->count; i++)
        text_append_format(&words, "%s'%s'", i ? ", " : "", left->items[i]);
    for (size_t i = 0; i < catalog->entity_count; i++)
        append_name(&entities, catalog->entities[i].name);
    for (size_t i = 0; i < catalog->metric_count; i++)
        append_name(&metrics, catalog->metrics[i].name);
    return problem_set(preparation->call->problem, ERROR_INVALID, "untranslatable",
                       "Could not translate question: '%.*s'. %s%s. Try asking about: [%s] or "
                       "metrics: [%s].%s%s",
                       (int)utf8_valid_prefix(question, strnlen(question, QUESTION_SHOWN)),
                       question,
                       conflict      ? conflict
                       : left->count ? "Words that were not understood: "
                                     : "It names nothing to compute",
                       conflict ? "" : words.bytes, entities.bytes, metrics.bytes,
                       catalog->shop ? " For example: 'revenue today', 'which orders still have "
                                       "not arrived', 'top 5 products by revenue today'."
                                     : "",
                       nearest_names(preparation, left));
}

static enum error refuse_unsafe(const struct storage_call *call, const char *why)
{
    return problem_set(call->problem, ERROR_FORBIDDEN, "unsafe_query",
                       "NL-to-SQL produced unsafe query: %s", why);
}

/* The second lock: whatever planned it, the statement is parsed, and reads allowed tables only. */
static enum error pass_guard(const struct preparation *preparation)
{
    const struct storage_call *call = preparation->call;
    struct prepared_question *prepared = preparation->prepared;
    struct problem why = {0};

    if (guard_check(call->arena, prepared->sql, &preparation->allowed, &prepared->finding, &why))
        return refuse_unsafe(call, why.text);
    prepared->length = prepared->finding.length;
    prepared->tables = prepared->finding.tables;
    prepared->scope = (struct scope){.engine = db_engine(call->db),
                                     .tenant = call->tenant,
                                     .catalog = preparation->catalog,
                                     .tables = prepared->finding.tables};
    return ERROR_NONE;
}

static enum error check_tables(const struct preparation *preparation,
                               const struct string_list *tables)
{
    const struct storage_call *call = preparation->call;
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < tables->count; i++)
        if (!string_list_has(&preparation->allowed, tables->items[i]))
            return refuse_unsafe(
                call, arena_print(call->arena, "Unknown tables: ['%.60s']", tables->items[i]));
    for (size_t i = 0; !error && i < tables->count; i++)
        error = table_served(catalog_table(preparation->catalog, tables->items[i]), call->problem);
    return error;
}

/* Compiles a typed plan, whoever made it. */
static enum error take_plan(const struct preparation *preparation, const struct typed_plan *plan,
                            const char *engine, const char *language)
{
    const struct storage_call *call = preparation->call;
    struct prepared_question *prepared = preparation->prepared;
    struct typed_plan *kept = ARENA_NEW(call->arena, struct typed_plan);
    enum error error;

    *kept = *plan;
    error =
        typed_compile(call->arena, preparation->catalog, kept, &prepared->compiled, call->problem);
    if (!error)
        error = check_tables(preparation, &prepared->compiled.tables);
    if (error)
        return error;
    prepared->plan = kept;
    prepared->engine = engine;
    prepared->language = language;
    prepared->clamped = kept->clamped;
    prepared->tables = prepared->compiled.tables;
    prepared->interpretation = typed_sentence(&prepared->context, &prepared->compiled, language);
    prepared->identity = typed_plan_text(call->arena, kept);
    if (kept->select > TYPED_RECORD)
        return ERROR_NONE;
    prepared->sql = typed_rows_sql(&prepared->context, &prepared->compiled);
    return prepared->sql
               ? pass_guard(preparation)
               : problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
}

/* The shop's own sentences are English. Other readers get that of the typed plan, where the catalog
 * knows all its paths. */
static const char *shop_sentence(const struct preparation *preparation,
                                 const struct question_plan *plan, const struct typed_plan *typed)
{
    const struct plan_context *context = &preparation->prepared->context;
    const char *language = preparation->request->language;
    struct compiled_plan compiled;
    struct problem problem;

    if (language && strcmp(language, "en") != 0 &&
        !typed_compile(context->arena, preparation->catalog, typed, &compiled, &problem))
        return typed_sentence(context, &compiled, language);
    return plan_sentence(context, plan);
}

static enum error take_shop(const struct preparation *preparation, const struct question_plan *plan)
{
    struct prepared_question *prepared = preparation->prepared;
    struct typed_plan *typed = ARENA_NEW(preparation->call->arena, struct typed_plan);

    *typed = typed_of_shop(&prepared->context, plan);
    prepared->plan = typed;
    prepared->sql = plan_sql(&prepared->context, plan);
    prepared->interpretation = shop_sentence(preparation, plan, typed);
    prepared->clamped = plan->period.clamped;
    return pass_guard(preparation);
}

static bool are_among(const struct string_list *words, const struct string_list *list)
{
    for (size_t i = 0; i < words->count; i++)
        if (!string_list_has(list, words->items[i]))
            return false;
    return true;
}

/* By what the key may read, first without values from rows. A question about something else is read
 * by the whole catalog, for the refusal: nothing of what that finds is named. */
static struct question_reading read_question(const struct preparation *preparation)
{
    const struct plan_context *context = &preparation->prepared->context;
    const struct catalog *readable = preparation->readable;
    const char *question = preparation->request->question;
    struct question_reading whole, reading = question_to_plan(context, readable, NULL, question);

    if (!reading.planned)
        reading = question_to_plan(context, readable,
                                   samples_make(preparation->call, readable, &preparation->allowed),
                                   question);
    if (reading.planned || readable == preparation->catalog)
        return reading;
    whole = question_to_plan(context, preparation->catalog, NULL, question);
    return whole.planned ? whole : reading;
}

static enum error plan_question(const struct preparation *preparation)
{
    struct prepared_question *prepared = preparation->prepared;
    const char *question = preparation->request->question;
    struct question_reading reading;
    struct question_plan plan;
    struct typed_plan proposed;
    struct string_list left = {0};

    if (preparation->catalog->shop) {
        plan_read(&prepared->context, question, &plan, &left);
        if (plan.measure)
            return take_shop(preparation, &plan);
    }
    reading = read_question(preparation);
    if (preparation->request->language)
        reading.language = preparation->request->language;
    if (reading.planned)
        return take_plan(preparation, &reading.plan, "rule_based", reading.language);
    if (preparation->settings->orchestrator_url &&
        model_propose(&prepared->context, preparation->catalog, &preparation->allowed, question,
                      &proposed))
        return take_plan(preparation, &proposed, "llm", reading.language);
    if (left.count && left.count < reading.left.count && are_among(&left, &reading.left))
        reading.left = left; /* the shop's planner came nearer */
    return untranslatable(preparation, &reading.left, reading.conflict);
}

enum error prepare_question(const struct storage_call *call, const struct catalog *catalog,
                            const struct livedata_settings *settings,
                            const struct query_request *request, struct prepared_question *prepared)
{
    struct preparation preparation = {
        call,     catalog, catalog,
        settings, request, scope_allowed_tables(call->arena, catalog, request->allowed_types),
        prepared};

    if (request->allowed_types)
        preparation.readable = catalog_of_tables(call->arena, catalog, &preparation.allowed);
    *prepared = (struct prepared_question){.engine = "rule_based"};
    prepared->context =
        (struct plan_context){.arena = call->arena,
                              .engine = db_engine(call->db),
                              .now = call->now,
                              .zone = request->time_zone ? request->time_zone : settings->time_zone,
                              .settings = settings};
    return request->plan
               ? take_plan(&preparation, request->plan,
                           request->engine ? request->engine : "rule_based", request->language)
               : plan_question(&preparation);
}
