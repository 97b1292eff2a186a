/* The backlog: converts signals into items, and items into a document, stored in the database and
 * in a file. */
#include "support/trends/backlog.h"
#include "base/clock.h"
#include "base/number.h"
#include "db/query.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/trends/backlog_signals.h"
#include "support/trends/week.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    ITEMS_MOST = BACKLOG_SOURCES * BACKLOG_SIGNALS_MOST,
    DOCUMENT_MOST = 1 << 20,
    FILES_MOST = 1000,
    WEEK_TEXT = 8
};
static const double day = 86400e6, kept_from = 3, critical_from = 7, high_from = 5;
static const char folder[] = "reports/improvement_backlog";

static const struct statement put_backlog = {
    .name = "backlog_put",
    .sql = "INSERT INTO improvement_backlogs (tenant_id, week, payload, markdown, generated_at)"
           " VALUES (?, ?, ?, ?, {now}) ON CONFLICT (tenant_id, week) DO UPDATE SET"
           " payload = excluded.payload, markdown = excluded.markdown,"
           " generated_at = excluded.generated_at",
};
static const struct statement newest_backlog = {
    .name = "backlog_newest",
    .sql = "SELECT payload FROM improvement_backlogs WHERE tenant_id = ?"
           " ORDER BY week DESC LIMIT 1",
};

#define OWNER struct backlog_item
static const struct field item_fields[] = {
    STRING(OWNER, source, .required = true),
    STRING(OWNER, title, .required = true),
    STRING(OWNER, tenant_id, .required = true),
    NUMBER(OWNER, impact, .required = true),
    INTEGER(OWNER, frequency, .required = true),
    NUMBER(OWNER, priority, .required = true),
    STRING(OWNER, latest_at, .required = true),
    NUMBER(OWNER, age_days, .required = true),
    STRINGS(OWNER, trace_ids),
    JSON_OBJECT(OWNER, details, .required = true, .help = "What the source knows of it."),
    STRING(OWNER, suggested_action, .required = true),
};
#undef OWNER
SCHEMA(backlog_item_schema, struct backlog_item, "BacklogItem", item_fields, .extra = EXTRA_STORED);

#define OWNER struct backlog_summary
static const struct field summary_fields[] = {
    INTEGER(OWNER, items, .required = true),
    JSON_OBJECT(OWNER, top_sources, .required = true, .help = "By source: its items.")};
#undef OWNER
static SCHEMA(summary_schema, struct backlog_summary, "BacklogSummary", summary_fields,
              .extra = EXTRA_STORED);

#define OWNER struct backlog_statistics
static const struct field statistics_fields[] = {
    JSON_OBJECT(OWNER, items_by_type, .required = true, .help = "By source: its items."),
    STRING(OWNER, most_common_tenant, .required = true)};
#undef OWNER
static SCHEMA(statistics_schema, struct backlog_statistics, "BacklogStatistics", statistics_fields,
              .extra = EXTRA_STORED);

#define OWNER struct backlog_document
static const struct field document_fields[] = {
    STRING(OWNER, tenant, .required = true),
    STRING(OWNER, week, .required = true),
    STRING(OWNER, week_start, .required = true),
    STRING(OWNER, week_end, .required = true),
    OBJECT(OWNER, summary, summary_schema, .required = true),
    OBJECTS(OWNER, items, backlog_item_schema, .required = true),
    OBJECT(OWNER, stats, statistics_schema, .required = true),
    STRINGS(OWNER, warnings),
    STRING(OWNER, generated_at, .required = true),
};
#undef OWNER
SCHEMA(backlog_schema, struct backlog_document, "Backlog", document_fields, .extra = EXTRA_STORED);

double backlog_priority(double impact, int64_t frequency, double age_days)
{
    return number_round(impact * (double)(frequency > 1 ? frequency : 1) * exp(-age_days / 7), 4);
}

struct item {
    const struct backlog_source *source;
    const struct backlog_signal *signal;
    double impact, priority, age_days;
};

struct making {
    const struct trace_call *call;
    const struct support_settings *settings;
    struct backlog_window window;
    const char *week, *generated_at;
    struct item items[ITEMS_MOST];
    size_t count;
    const char *warnings[BACKLOG_SOURCES];
    size_t warning_count;
};

static int by_priority(const void *a, const void *b)
{
    const struct item *first = a, *second = b;
    int order;

    if (first->priority != second->priority)
        return first->priority < second->priority ? 1 : -1;
    order = strcmp(first->source->name, second->source->name);
    return order ? order : strcmp(first->signal->title, second->signal->title);
}

static void add_items(struct making *making, const struct backlog_source *source,
                      const struct backlog_signal *signals, size_t count)
{
    double impact =
        *(const double *)(const void *)((const char *)making->settings + source->impact);

    for (size_t i = 0; i < count; i++) {
        double age = fmax(0, (double)(making->window.now - signals[i].latest) / day);
        double priority = number_round(backlog_priority(impact, signals[i].frequency, age), 2);

        if (priority >= kept_from)
            making->items[making->count++] = (struct item){
                source, &signals[i], number_round(impact, 2), priority, number_round(age, 1)};
    }
}

/* An unreadable source is a warning; an unavailable database is an error. */
static enum error load(struct making *making, const struct backlog_source *source)
{
    struct arena *arena = making->call->arena;
    struct backlog_signal *signals =
        ARENA_ARRAY(arena, struct backlog_signal, BACKLOG_SIGNALS_MOST);
    size_t count = 0;
    enum error error = source->load(&making->window, signals, &count);

    if (error == ERROR_UNAVAILABLE || error == ERROR_BUSY)
        return error;
    if (error)
        making->warnings[making->warning_count++] =
            arena_print(arena, "%s: %s", source->name, making->call->problem->text);
    else
        add_items(making, source, signals, count);
    return ERROR_NONE;
}

static const char *bound(struct arena *arena, int64_t moment)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(moment, text);
    return arena_copy_string(arena, text);
}

static enum error open_week(struct making *making, const char *week)
{
    struct arena *arena = making->call->arena;
    struct backlog_window *window = &making->window;

    *window = (struct backlog_window){
        .call = making->call, .settings = making->settings, .now = clock_unix_microseconds()};
    making->week = week ? week : week_of(arena, window->now - WEEK_MICROSECONDS);
    if (!week_parse(making->week, &window->start))
        return problem_set(making->call->problem, ERROR_INVALID, "bad_week",
                           "week must be in YYYY-Www format");
    window->from = bound(arena, window->start);
    window->to = bound(arena, window->start + WEEK_MICROSECONDS);
    window->before = bound(arena, window->start - WEEK_MICROSECONDS);
    window->stale =
        bound(arena, window->now - making->settings->backlog_freshness_days * (int64_t)day);
    making->generated_at = batch_time(arena, window->now);
    return ERROR_NONE;
}

/* How many items each source or tenant has. Small tables, the largest count first. */
struct tally {
    const char *name;
    size_t count;
};

static void count_name(struct tally *tallies, size_t *used, const char *name)
{
    for (size_t i = 0; i < *used; i++) {
        if (strcmp(tallies[i].name, name) == 0) {
            tallies[i].count++;
            return;
        }
    }
    tallies[(*used)++] = (struct tally){name, 1};
}

static int by_count(const void *a, const void *b)
{
    const struct tally *first = a, *second = b;

    if (first->count != second->count)
        return first->count < second->count ? 1 : -1;
    return strcmp(first->name, second->name);
}

static size_t count_items(const struct object_list *list, bool tenants,
                          struct tally tallies[ITEMS_MOST])
{
    const struct backlog_item *items = list->items;
    size_t used = 0;

    for (size_t i = 0; i < list->count && used < ITEMS_MOST; i++)
        count_name(tallies, &used, tenants ? items[i].tenant_id : items[i].source);
    if (used)
        qsort(tallies, used, sizeof tallies[0], by_count);
    return used;
}

static json_t *counts_of(struct arena *arena, const struct tally *tallies, size_t count)
{
    struct json_fault fault;
    struct json_writer writer;
    struct text text;
    json_t *map = NULL;

    text_start(&text, arena, DOCUMENT_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < count; i++)
        writer_key_integer(&writer, tallies[i].name, (int64_t)tallies[i].count);
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, JSON_DEPTH_LIMIT, &map, &fault) ? NULL : map;
}

/* Counts the items anew. */
static void fill_counts(struct arena *arena, struct backlog_document *document)
{
    struct backlog_summary *summary = ARENA_NEW(arena, struct backlog_summary);
    struct backlog_statistics *statistics = ARENA_NEW(arena, struct backlog_statistics);
    struct tally sources[ITEMS_MOST], tenants[ITEMS_MOST];
    size_t source_count = count_items(&document->items, false, sources),
           tenant_count = count_items(&document->items, true, tenants);

    *summary = (struct backlog_summary){.items = (int64_t)document->items.count,
                                        .top_sources = counts_of(arena, sources, source_count)};
    *statistics =
        (struct backlog_statistics){.items_by_type = counts_of(arena, sources, source_count),
                                    .most_common_tenant = tenant_count ? tenants[0].name : "n/a"};
    document->summary = summary;
    document->stats = statistics;
}

static struct backlog_item entry_of(struct arena *arena, const struct item *item)
{
    const struct backlog_signal *signal = item->signal;
    struct json_fault fault;
    json_t *details = NULL;

    if (json_read(arena, signal->details, strlen(signal->details), JSON_DEPTH_LIMIT, &details,
                  &fault))
        details = NULL;
    return (struct backlog_item){
        .source = item->source->name,
        .title = signal->title,
        .tenant_id = signal->tenant,
        .impact = item->impact,
        .frequency = signal->frequency,
        .priority = item->priority,
        .latest_at = batch_time(arena, signal->latest),
        .age_days = item->age_days,
        .trace_ids = {signal->trace_count, (const char **)signal->trace_ids},
        .details = details,
        .suggested_action = item->source->action};
}

static struct backlog_document document_of(struct making *making)
{
    struct arena *arena = making->call->arena;
    struct backlog_item *items = ARENA_ARRAY(arena, struct backlog_item, making->count + 1);
    struct backlog_document document = {
        .tenant = making->call->tenant,
        .week = making->week,
        .week_start = week_date(arena, making->window.start),
        .week_end = week_date(arena, making->window.start + WEEK_MICROSECONDS - 1),
        .items = {making->count, items},
        .warnings = {making->warning_count, making->warnings},
        .generated_at = making->generated_at};

    for (size_t i = 0; i < making->count; i++)
        items[i] = entry_of(arena, &making->items[i]);
    fill_counts(arena, &document);
    return document;
}

/* Escapes users' texts so that they start no heading, table or line. */
static void append_escaped(struct text *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\r\n\t", *text))
            text_append_byte(out, ' ');
        else {
            if (strchr("\\`*_{}[]<>#|", *text))
                text_append_byte(out, '\\');
            text_append_byte(out, *text);
        }
    }
}

static void print_details(struct text *out, struct arena *arena, json_t *details)
{
    json_t *value;
    const char *key, *between = "- Details: ";

    json_object_foreach(details, key, value)
    {
        struct text shown;
        struct json_writer writer;

        text_start(&shown, arena, DOCUMENT_MOST);
        writer_start(&writer, &shown);
        writer_value(&writer, value);
        text_append_format(out, "%s%s=", between, key);
        append_escaped(out, json_is_string(value) ? json_string_value(value) : shown.bytes);
        between = "; ";
    }
    if (json_object_size(details))
        text_append_byte(out, '\n');
}

static void print_item(struct text *out, const struct backlog_item *item, struct arena *arena)
{
    text_append_format(out, "\n### [%s] ", item->source);
    append_escaped(out, item->title);
    text_append_format(out, "\n\n- Source: %s (%lld signals)\n- Tenant: ", item->source,
                       (long long)item->frequency);
    append_escaped(out, item->tenant_id);
    text_append_format(out,
                       "\n- Impact %.2f, frequency %lld, last seen %.1f days ago\n"
                       "- Priority: %.2f\n- Suggested action: %s\n",
                       item->impact, (long long)item->frequency, item->age_days, item->priority,
                       item->suggested_action);
    if (item->trace_ids.count) {
        text_append_string(out, "- Traces:");
        for (size_t i = 0; i < item->trace_ids.count; i++)
            text_append_format(out, "%s %s", i ? "," : "", item->trace_ids.items[i]);
        text_append_byte(out, '\n');
    }
    print_details(out, arena, item->details);
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

/* 0 critical, 1 high, 2 medium. */
static int band_of(double priority)
{
    if (priority > critical_from || is_close(priority, critical_from))
        return 0;
    return priority > high_from || is_close(priority, high_from) ? 1 : 2;
}

static const char *as_markdown(struct arena *arena, const struct backlog_document *document)
{
    static const char *const bands[] = {"Priority 1 - Critical (> 7)", "Priority 2 - High (> 5)",
                                        "Priority 3 - Medium (>= 3)"};
    const struct backlog_item *items = document->items.items;
    struct tally sources[ITEMS_MOST];
    size_t source_count = count_items(&document->items, false, sources);
    struct text text;

    text_start(&text, arena, DOCUMENT_MOST);
    text_append_format(&text, "# Improvement backlog - week %s (%s to %s)\n\n## Summary\n\n",
                       document->week, document->week_start, document->week_end);
    text_append_format(&text,
                       "- Items: %zu (priority >= 3)\n- Top source: ", document->items.count);
    for (size_t i = 0; i < source_count; i++)
        text_append_format(&text, "%s%s (%zu)", i ? ", " : "", sources[i].name, sources[i].count);
    text_append_string(&text, source_count ? "\n" : "none\n");
    for (int band = 0; band < 3; band++) {
        size_t found = 0;

        text_append_format(&text, "\n## %s\n", bands[band]);
        for (size_t i = 0; i < document->items.count; i++) {
            if (band_of(items[i].priority) == band) {
                print_item(&text, &items[i], arena);
                found++;
            }
        }
        if (!found)
            text_append_string(&text, "\n- No items\n");
    }
    text_append_string(&text, "\n## Backlog stats\n\n");
    for (size_t i = 0; i < source_count; i++)
        text_append_format(&text, "- %s: %zu\n", sources[i].name, sources[i].count);
    if (!source_count)
        text_append_string(&text, "- None\n");
    return text.bytes;
}

enum error backlog_make(const struct trace_call *call, const struct backlog_request *request,
                        struct backlog *backlog)
{
    struct making *making = ARENA_NEW(call->arena, struct making);
    enum error error;

    making->call = call;
    making->settings = request->settings;
    error = open_week(making, request->week);
    for (size_t i = 0; i < BACKLOG_SOURCES && !error; i++)
        error = load(making, &backlog_sources[i]);
    if (error)
        return error;
    if (making->count)
        qsort(making->items, making->count, sizeof making->items[0], by_priority);
    if (making->count > (size_t)request->settings->backlog_items)
        making->count = (size_t)request->settings->backlog_items;
    *backlog = (struct backlog){.week = making->week, .document = document_of(making)};
    backlog->markdown = as_markdown(call->arena, &backlog->document);
    return ERROR_NONE;
}

/* The path of the report; a tenant's report has a folder of its own. */
static const char *path_of(const struct trace_call *call, const struct backlog_request *request,
                           const char *week)
{
    const char *out = request->out;
    struct stat facts;

    if (!out)
        return strcmp(call->tenant, "all") == 0
                   ? arena_print(call->arena, "%s/%s.md", folder, week)
                   : arena_print(call->arena, "%s/%s/%s.md", folder, call->tenant, week);
    if (out[strlen(out) - 1] == '/')
        return arena_print(call->arena, "%s%s.md", out, week);
    if (stat(data_file_path(call->arena, request->settings, out), &facts) == 0 &&
        S_ISDIR(facts.st_mode))
        return arena_print(call->arena, "%s/%s.md", out, week);
    return out;
}

enum error backlog_generate(const struct trace_call *call, const struct backlog_request *request,
                            struct backlog *backlog)
{
    struct query *query;
    enum error error = backlog_make(call, request, backlog);

    if (error)
        return error;
    backlog->path = path_of(call, request, backlog->week);
    error =
        data_file_write(call->arena, data_file_path(call->arena, request->settings, backlog->path),
                        backlog->markdown, strlen(backlog->markdown), call->problem);
    if (error)
        return error;
    query = db_query(call->db, &put_backlog);
    query_bind_text(query, call->tenant);
    query_bind_text(query, backlog->week);
    query_bind_json(query,
                    schema_json(call->arena, DOCUMENT_MOST, &backlog_schema, &backlog->document));
    query_bind_text(query, backlog->markdown);
    return query_end(query, call->problem);
}

static enum error newest(const struct trace_call *call, const char *tenant, const char **document)
{
    struct query *query = db_query(call->db, &newest_backlog);

    query_bind_text(query, tenant);
    *document = query_next(query) ? query_json(query, 0, call->arena) : NULL;
    return query_end(query, call->problem);
}

/* Leaves the items of the call's tenant. */
static void restrict_to_tenant(const struct trace_call *call, struct backlog_document *document)
{
    struct backlog_item *items = document->items.items;
    size_t count = 0;

    for (size_t i = 0; i < document->items.count; i++)
        if (strcmp(items[i].tenant_id, call->tenant) == 0)
            items[count++] = items[i];
    document->tenant = call->tenant;
    document->items.count = count;
    document->warnings.count = 0;
    fill_counts(call->arena, document);
}

static enum error read_document(const struct trace_call *call, const char *json,
                                struct backlog_document *document)
{
    *document = (struct backlog_document){0};
    return schema_from_json(call->arena, &backlog_schema, json, document)
               ? ERROR_NONE
               : problem_set(call->problem, ERROR_SYSTEM, "backlog_unreadable",
                             "the kept backlog is of another form");
}

enum error backlog_current(const struct trace_call *call, const struct support_settings *settings,
                           struct backlog_document *document)
{
    const struct backlog_request request = {.settings = settings};
    struct backlog made;
    const char *json = NULL;
    enum error error = newest(call, call->tenant, &json);

    if (!error && json)
        return read_document(call, json, document);
    if (!error)
        error = newest(call, "all", &json);
    if (error)
        return error;
    if (json) {
        error = read_document(call, json, document);
        if (!error)
            restrict_to_tenant(call, document);
        return error;
    }
    error = backlog_make(call, &request, &made);
    if (!error)
        *document = made.document;
    return error;
}

static int by_name(const void *a, const void *b)
{
    return -strcmp(((const struct backlog_file *)a)->week, ((const struct backlog_file *)b)->week);
}

static bool is_report(const char *name, int64_t year)
{
    char week[WEEK_TEXT + 1] = "";
    int64_t start;

    if (strlen(name) != WEEK_TEXT + 3 || strcmp(name + WEEK_TEXT, ".md") != 0)
        return false;
    memcpy(week, name, WEEK_TEXT);
    return week_parse(week, &start) && (year == 0 || strtol(week, NULL, 10) == year);
}

enum error backlog_archive(struct arena *arena, const struct support_settings *settings,
                           int64_t year, struct object_list *rows, struct problem *problem)
{
    const char *path = data_file_path(arena, settings, folder);
    struct backlog_file *items = ARENA_ARRAY(arena, struct backlog_file, FILES_MOST);
    struct arena_guard *guard = arena_guard(arena, arena_close_directory);
    DIR *directory = guard->thing = opendir(path);
    const struct dirent *entry;
    struct stat facts;

    (void)problem;
    *rows = (struct object_list){.items = items};
    if (!directory)
        return ERROR_NONE; /* nothing was written yet */
    while (rows->count < FILES_MOST && (entry = readdir(directory))) {
        if (!is_report(entry->d_name, year) ||
            fstatat(dirfd(directory), entry->d_name, &facts, 0) != 0)
            continue;
        items[rows->count++] =
            (struct backlog_file){arena_copy(arena, entry->d_name, WEEK_TEXT),
                                  arena_print(arena, "%s/%s", folder, entry->d_name),
                                  batch_time(arena, (int64_t)facts.st_mtim.tv_sec * 1000000)};
    }
    arena_guard_end(guard);
    if (rows->count)
        qsort(items, rows->count, sizeof items[0], by_name);
    return ERROR_NONE;
}
