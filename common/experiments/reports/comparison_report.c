/* A comparison as a document: what all have in common, then one project after the other. */
#include "experiments/reports/reports.h"

static const char *range(const struct report_desk *desk, const struct compared_range *found)
{
    return locale_format(desk->locale, desk->arena, "export.range",
                         TEXT_ARGUMENTS({"min", print_thousands(desk->arena, found->min)},
                                        {"max", print_thousands(desk->arena, found->max)},
                                        {"median", desk_figure(desk, found->median)}));
}

static const char *joined(const struct report_desk *desk, const struct string_list *list)
{
    struct text text;

    text_start(&text, desk->arena, PAYLOAD_BYTES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        text_append_string(&text, i ? ", " : "");
        text_append_string(&text, list->items[i]);
    }
    return list->count ? text.bytes : desk_word(desk, "export.none");
}

static const char *metric_types(const struct report_desk *desk, const struct string_list *types)
{
    struct string_list words = {types->count, ARENA_ARRAY(desk->arena, const char *, types->count)};

    for (size_t i = 0; i < types->count; i++)
        words.items[i] = desk_metric_type(desk, types->items[i]);
    return joined(desk, &words);
}

static void add_overview(const struct report_desk *desk, const struct comparison *comparison,
                         struct folio *document)
{
    folio_heading(document, 1, desk_word(desk, "export.summary_sheet"));
    folio_begin(document, BLOCK_FACTS, 2);
    folio_fact(document, desk_word(desk, "export.projects_compared"),
               arena_print(desk->arena, "%zu", comparison->projects.count));
    folio_fact(document, desk_word(desk, "export.metric_types"),
               metric_types(desk, &comparison->metric_types_used));
    folio_fact(document, desk_word(desk, "export.total_range"),
               range(desk, &comparison->sample_size_range));
    folio_fact(document, desk_word(desk, "export.duration_range"),
               range(desk, &comparison->duration_range));
}

static void add_table(const struct report_desk *desk, const struct comparison *comparison,
                      struct folio *document)
{
    static const char *const keys[] = {
        "export.project",           "export.metric_type", "export.users_per_variant",
        "export.total_sample_size", "export.days",        "export.warnings"};
    const struct compared_project *projects = comparison->projects.items;

    folio_begin(document, BLOCK_TABLE, COUNT_OF(keys));
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        folio_add(document, desk_word(desk, keys[i]));
    for (size_t i = 0; i < comparison->projects.count; i++) {
        folio_add(document, projects[i].project_name);
        folio_add(document, desk_metric_type(desk, projects[i].metric_type));
        folio_add(document, print_thousands(desk->arena, projects[i].sample_size_per_variant));
        folio_add(document, print_thousands(desk->arena, projects[i].total_sample_size));
        folio_add(document, print_thousands(desk->arena, projects[i].estimated_duration_days));
        folio_add(document, print_thousands(desk->arena, projects[i].warnings_count));
    }
}

static void add_shared(const struct report_desk *desk, const struct comparison *comparison,
                       struct folio *document)
{
    folio_heading(document, 1, desk_word(desk, "export.shared_insights"));
    desk_list(desk, document, 2, "export.shared_warnings", &comparison->shared_warnings);
    desk_list(desk, document, 2, "export.shared_risks", &comparison->shared_risks);
    desk_list(desk, document, 2, "export.shared_assumptions", &comparison->shared_assumptions);
    desk_list(desk, document, 2, "export.recommendation_highlights",
              &comparison->recommendation_highlights);
}

static void add_unique(const struct report_desk *desk, const struct compared_unique *unique,
                       struct folio *document)
{
    folio_heading(document, 2, desk_word(desk, "export.unique_insights"));
    folio_begin(document, BLOCK_FACTS, 2);
    folio_fact(document, desk_word(desk, "export.warnings"), joined(desk, &unique->warnings));
    folio_fact(document, desk_word(desk, "export.risks"), joined(desk, &unique->risks));
    folio_fact(document, desk_word(desk, "export.assumptions"), joined(desk, &unique->assumptions));
}

static void add_project(const struct report_desk *desk, const struct compared_project *project,
                        const struct compared_unique *unique, struct folio *document)
{
    folio_heading(document, 1, *project->project_name ? project->project_name : project->id);
    folio_begin(document, BLOCK_FACTS, 2);
    folio_fact(document, desk_word(desk, "export.metric_type"),
               desk_metric_type(desk, project->metric_type));
    folio_fact(document, desk_word(desk, "export.primary_metric"), project->primary_metric);
    folio_fact(document, desk_word(desk, "export.users_per_variant"),
               print_thousands(desk->arena, project->sample_size_per_variant));
    folio_fact(document, desk_word(desk, "export.total_sample_size"),
               print_thousands(desk->arena, project->total_sample_size));
    folio_fact(document, desk_word(desk, "export.days"),
               print_thousands(desk->arena, project->estimated_duration_days));
    folio_fact(document, desk_word(desk, "export.warnings_count"),
               print_thousands(desk->arena, project->warnings_count));
    folio_fact(document, desk_word(desk, "export.severity"), project->warning_severity);
    folio_heading(document, 2, desk_word(desk, "export.executive_summary"));
    folio_text(document, project->executive_summary);
    desk_list(desk, document, 2, "export.warnings", &project->warning_codes);
    desk_list(desk, document, 2, "export.recommendation_highlights",
              &project->recommendation_highlights);
    add_unique(desk, unique, document);
}

void report_of_comparison(const struct report_desk *desk, const struct comparison *comparison,
                          bool paged, struct folio *document)
{
    const struct compared_project *projects = comparison->projects.items;

    desk_start(desk, document, desk_word(desk, "export.comparison_title"));
    add_overview(desk, comparison, document);
    if (paged)
        add_table(desk, comparison, document);
    else
        add_shared(desk, comparison, document);
    for (size_t i = 0; i < comparison->projects.count; i++) {
        if (paged)
            folio_page(document);
        add_project(desk, &projects[i], &comparison->unique[i], document);
    }
    if (paged) {
        folio_page(document);
        add_shared(desk, comparison, document);
    }
}
