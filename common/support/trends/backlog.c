/* The backlog: signals become items, items a document, kept in the database and as a file. */
#include "support/trends/backlog.h"
#include "base/clock.h"
#include "base/json.h"
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

/* A source that cannot be read is a warning; a database that is away is the end. */
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

/* How many items each source has; the same for tenants. Small tables, in the order of counts. */
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

static size_t tally(const struct making *making, bool tenants, struct tally tallies[ITEMS_MOST])
{
    size_t used = 0;

    for (size_t i = 0; i < making->count; i++)
        count_name(tallies, &used,
                   tenants ? making->items[i].signal->tenant : making->items[i].source->name);
    if (used)
        qsort(tallies, used, sizeof tallies[0], by_count);
    return used;
}

static void write_counts(struct json_writer *writer, const char *key, const struct tally *tallies,
                         size_t count)
{
    writer_key(writer, key);
    writer_open_object(writer);
    for (size_t i = 0; i < count; i++)
        writer_key_integer(writer, tallies[i].name, (int64_t)tallies[i].count);
    writer_close_object(writer);
}

static void write_item(struct json_writer *writer, const struct item *item, struct arena *arena)
{
    const struct backlog_signal *signal = item->signal;

    writer_open_object(writer);
    writer_key_string(writer, "source", item->source->name);
    writer_key_string(writer, "title", signal->title);
    writer_key_string(writer, "tenant_id", signal->tenant);
    writer_key_number(writer, "impact", item->impact);
    writer_key_integer(writer, "frequency", signal->frequency);
    writer_key_number(writer, "priority", item->priority);
    writer_key_string(writer, "latest_at", batch_time(arena, signal->latest));
    writer_key_number(writer, "age_days", item->age_days);
    writer_key(writer, "trace_ids");
    writer_open_array(writer);
    for (size_t i = 0; i < signal->trace_count; i++)
        writer_string(writer, signal->trace_ids[i]);
    writer_close_array(writer);
    writer_key(writer, "details");
    writer_raw(writer, signal->details);
    writer_key_string(writer, "suggested_action", item->source->action);
    writer_close_object(writer);
}

static const char *as_json(const struct making *making)
{
    struct arena *arena = making->call->arena;
    struct tally sources[ITEMS_MOST], tenants[ITEMS_MOST];
    size_t source_count = tally(making, false, sources),
           tenant_count = tally(making, true, tenants);
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, DOCUMENT_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", making->call->tenant);
    writer_key_string(&writer, "week", making->week);
    writer_key_string(&writer, "week_start", week_date(arena, making->window.start));
    writer_key_string(&writer, "week_end",
                      week_date(arena, making->window.start + WEEK_MICROSECONDS - 1));
    writer_key(&writer, "summary");
    writer_open_object(&writer);
    writer_key_integer(&writer, "items", (int64_t)making->count);
    write_counts(&writer, "top_sources", sources, source_count);
    writer_close_object(&writer);
    writer_key(&writer, "items");
    writer_open_array(&writer);
    for (size_t i = 0; i < making->count; i++)
        write_item(&writer, &making->items[i], arena);
    writer_close_array(&writer);
    writer_key(&writer, "stats");
    writer_open_object(&writer);
    write_counts(&writer, "items_by_type", sources, source_count);
    writer_key_string(&writer, "most_common_tenant", tenant_count ? tenants[0].name : "n/a");
    writer_close_object(&writer);
    writer_key(&writer, "warnings");
    writer_open_array(&writer);
    for (size_t i = 0; i < making->warning_count; i++)
        writer_string(&writer, making->warnings[i]);
    writer_close_array(&writer);
    writer_key_string(&writer, "generated_at", making->generated_at);
    writer_close_object(&writer);
    return text.bytes;
}

/* What people wrote must not open a heading, a table or a line of its own. */
static void print_words(struct text *out, const char *words)
{
    for (; *words; words++) {
        if (strchr("\r\n\t", *words))
            text_append_byte(out, ' ');
        else {
            if (strchr("\\`*_{}[]<>#|", *words))
                text_append_byte(out, '\\');
            text_append_byte(out, *words);
        }
    }
}

static void print_details(struct text *out, struct arena *arena, const char *details)
{
    struct json_fault fault;
    json_t *object, *value;
    const char *key, *between = "- Details: ";

    if (json_read(arena, details, strlen(details), JSON_DEPTH_LIMIT, &object, &fault))
        return;
    json_object_foreach(object, key, value)
    {
        struct text shown;
        struct json_writer writer;

        text_start(&shown, arena, DOCUMENT_MOST);
        writer_start(&writer, &shown);
        writer_value(&writer, value);
        text_append_format(out, "%s%s=", between, key);
        print_words(out, json_is_string(value) ? json_string_value(value) : shown.bytes);
        between = "; ";
    }
    if (json_object_size(object))
        text_append_byte(out, '\n');
}

static void print_item(struct text *out, const struct item *item, struct arena *arena)
{
    const struct backlog_signal *signal = item->signal;

    text_append_format(out, "\n### [%s] ", item->source->name);
    print_words(out, signal->title);
    text_append_format(out, "\n\n- Source: %s (%lld signals)\n- Tenant: ", item->source->name,
                       (long long)signal->frequency);
    print_words(out, signal->tenant);
    text_append_format(out,
                       "\n- Impact %.2f, frequency %lld, last seen %.1f days ago\n"
                       "- Priority: %.2f\n- Suggested action: %s\n",
                       item->impact, (long long)signal->frequency, item->age_days, item->priority,
                       item->source->action);
    if (signal->trace_count) {
        text_append_string(out, "- Traces:");
        for (size_t i = 0; i < signal->trace_count; i++)
            text_append_format(out, "%s %s", i ? "," : "", signal->trace_ids[i]);
        text_append_byte(out, '\n');
    }
    print_details(out, arena, signal->details);
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

static const char *as_markdown(const struct making *making)
{
    static const char *const bands[] = {"Priority 1 - Critical (> 7)", "Priority 2 - High (> 5)",
                                        "Priority 3 - Medium (>= 3)"};
    struct arena *arena = making->call->arena;
    struct tally sources[ITEMS_MOST];
    size_t source_count = tally(making, false, sources);
    struct text text;

    text_start(&text, arena, DOCUMENT_MOST);
    text_append_format(&text, "# Improvement backlog - week %s (%s to %s)\n\n## Summary\n\n",
                       making->week, week_date(arena, making->window.start),
                       week_date(arena, making->window.start + WEEK_MICROSECONDS - 1));
    text_append_format(&text, "- Items: %zu (priority >= 3)\n- Top source: ", making->count);
    for (size_t i = 0; i < source_count; i++)
        text_append_format(&text, "%s%s (%zu)", i ? ", " : "", sources[i].name, sources[i].count);
    text_append_string(&text, source_count ? "\n" : "none\n");
    for (int band = 0; band < 3; band++) {
        size_t found = 0;

        text_append_format(&text, "\n## %s\n", bands[band]);
        for (size_t i = 0; i < making->count; i++) {
            if (band_of(making->items[i].priority) == band) {
                print_item(&text, &making->items[i], arena);
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
    *backlog = (struct backlog){
        .week = making->week, .document = as_json(making), .markdown = as_markdown(making)};
    return ERROR_NONE;
}

/* Where the report goes; that of one tenant has a folder of its own. */
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
    query_bind_json(query, backlog->document);
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

/* The items of one tenant, with the counts made anew. */
static const char *cut_to(const struct trace_call *call, const char *document)
{
    struct json_fault fault;
    json_t *object, *item;
    struct tally sources[ITEMS_MOST];
    size_t i, used = 0, kept = 0;
    struct text text;
    struct json_writer writer;
    static const char *const copied[] = {"week", "week_start", "week_end", "generated_at"};

    if (json_read(call->arena, document, strlen(document), JSON_DEPTH_LIMIT, &object, &fault))
        return NULL;
    text_start(&text, call->arena, DOCUMENT_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", call->tenant);
    for (i = 0; i < 4; i++)
        writer_key_string(&writer, copied[i],
                          json_string_value(json_object_get(object, copied[i])));
    writer_key(&writer, "items");
    writer_open_array(&writer);
    json_array_foreach(json_object_get(object, "items"), i, item)
    {
        const char *tenant = json_string_value(json_object_get(item, "tenant_id"));
        const char *source = json_string_value(json_object_get(item, "source"));

        if (!tenant || !source || strcmp(tenant, call->tenant) != 0 || used == ITEMS_MOST)
            continue;
        writer_value(&writer, item);
        count_name(sources, &used, source);
        kept++;
    }
    writer_close_array(&writer);
    if (used)
        qsort(sources, used, sizeof sources[0], by_count);
    writer_key(&writer, "summary");
    writer_open_object(&writer);
    writer_key_integer(&writer, "items", (int64_t)kept);
    write_counts(&writer, "top_sources", sources, used);
    writer_close_object(&writer);
    writer_key(&writer, "stats");
    writer_open_object(&writer);
    write_counts(&writer, "items_by_type", sources, used);
    writer_key_string(&writer, "most_common_tenant", kept ? call->tenant : "n/a");
    writer_close_object(&writer);
    writer_key(&writer, "warnings");
    writer_open_array(&writer);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

enum error backlog_current(const struct trace_call *call, const struct support_settings *settings,
                           const char **document)
{
    const struct backlog_request request = {.settings = settings};
    struct backlog made;
    enum error error = newest(call, call->tenant, document);

    if (error || *document)
        return error;
    error = newest(call, "all", document);
    if (error)
        return error;
    if (*document)
        *document = cut_to(call, *document);
    if (*document)
        return ERROR_NONE;
    error = backlog_make(call, &request, &made);
    *document = error ? NULL : made.document;
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
