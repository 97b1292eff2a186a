/* A comparison as a report document: what all projects share, then each project. */
#include "experiments/reports/reports.h"

static const char *range(const struct report_context *context, const struct compared_range *found)
{
    return locale_format(context->locale, context->arena, "export.range",
                         TEXT_ARGUMENTS({"min", print_thousands(context->arena, found->min)},
                                        {"max", print_thousands(context->arena, found->max)},
                                        {"median", report_number(context, found->median)}));
}

static const char *joined(const struct report_context *context, const struct string_list *list)
{
    struct text text;

    text_start(&text, context->arena, PAYLOAD_BYTES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        text_append_string(&text, i ? ", " : "");
        text_append_string(&text, list->items[i]);
    }
    return list->count ? text.bytes : report_label(context, "export.none");
}

static const char *metric_types(const struct report_context *context,
                                const struct string_list *types)
{
    struct string_list words = {types->count,
                                ARENA_ARRAY(context->arena, const char *, types->count)};

    for (size_t i = 0; i < types->count; i++)
        words.items[i] = report_metric_type(context, types->items[i]);
    return joined(context, &words);
}

static void add_overview(const struct report_context *context, const struct comparison *comparison,
                         struct report_document *document)
{
    document_heading(document, 1, report_label(context, "export.summary_sheet"));
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.projects_compared"),
                  arena_print(context->arena, "%zu", comparison->projects.count));
    document_fact(document, report_label(context, "export.metric_types"),
                  metric_types(context, &comparison->metric_types_used));
    document_fact(document, report_label(context, "export.total_range"),
                  range(context, &comparison->sample_size_range));
    document_fact(document, report_label(context, "export.duration_range"),
                  range(context, &comparison->duration_range));
}

static void add_table(const struct report_context *context, const struct comparison *comparison,
                      struct report_document *document)
{
    static const char *const keys[] = {
        "export.project",           "export.metric_type", "export.users_per_variant",
        "export.total_sample_size", "export.days",        "export.warnings"};
    const struct compared_project *projects = comparison->projects.items;

    document_begin(document, BLOCK_TABLE, COUNT_OF(keys));
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        document_add(document, report_label(context, keys[i]));
    for (size_t i = 0; i < comparison->projects.count; i++) {
        document_add(document, projects[i].project_name);
        document_add(document, report_metric_type(context, projects[i].metric_type));
        document_add(document,
                     print_thousands(context->arena, projects[i].sample_size_per_variant));
        document_add(document, print_thousands(context->arena, projects[i].total_sample_size));
        document_add(document,
                     print_thousands(context->arena, projects[i].estimated_duration_days));
        document_add(document, print_thousands(context->arena, projects[i].warnings_count));
    }
}

static void add_shared(const struct report_context *context, const struct comparison *comparison,
                       struct report_document *document)
{
    document_heading(document, 1, report_label(context, "export.shared_insights"));
    report_list(context, document, 2, "export.shared_warnings", &comparison->shared_warnings);
    report_list(context, document, 2, "export.shared_risks", &comparison->shared_risks);
    report_list(context, document, 2, "export.shared_assumptions", &comparison->shared_assumptions);
    report_list(context, document, 2, "export.recommendation_highlights",
                &comparison->recommendation_highlights);
}

static void add_unique(const struct report_context *context, const struct compared_unique *unique,
                       struct report_document *document)
{
    document_heading(document, 2, report_label(context, "export.unique_insights"));
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.warnings"),
                  joined(context, &unique->warnings));
    document_fact(document, report_label(context, "export.risks"), joined(context, &unique->risks));
    document_fact(document, report_label(context, "export.assumptions"),
                  joined(context, &unique->assumptions));
}

static void add_project(const struct report_context *context,
                        const struct compared_project *project,
                        const struct compared_unique *unique, struct report_document *document)
{
    document_heading(document, 1, *project->project_name ? project->project_name : project->id);
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.metric_type"),
                  report_metric_type(context, project->metric_type));
    document_fact(document, report_label(context, "export.primary_metric"),
                  project->primary_metric);
    document_fact(document, report_label(context, "export.users_per_variant"),
                  print_thousands(context->arena, project->sample_size_per_variant));
    document_fact(document, report_label(context, "export.total_sample_size"),
                  print_thousands(context->arena, project->total_sample_size));
    document_fact(document, report_label(context, "export.days"),
                  print_thousands(context->arena, project->estimated_duration_days));
    document_fact(document, report_label(context, "export.warnings_count"),
                  print_thousands(context->arena, project->warnings_count));
    document_fact(document, report_label(context, "export.severity"), project->warning_severity);
    document_heading(document, 2, report_label(context, "export.executive_summary"));
    document_text(document, project->executive_summary);
    report_list(context, document, 2, "export.warnings", &project->warning_codes);
    report_list(context, document, 2, "export.recommendation_highlights",
                &project->recommendation_highlights);
    add_unique(context, unique, document);
}

void report_of_comparison(const struct report_context *context, const struct comparison *comparison,
                          bool paged, struct report_document *document)
{
    const struct compared_project *projects = comparison->projects.items;

    report_start(context, document, report_label(context, "export.comparison_title"));
    add_overview(context, comparison, document);
    if (paged)
        add_table(context, comparison, document);
    else
        add_shared(context, comparison, document);
    for (size_t i = 0; i < comparison->projects.count; i++) {
        if (paged)
            document_page(document);
        add_project(context, &projects[i], &comparison->unique[i], document);
    }
    if (paged) {
        document_page(document);
        add_shared(context, comparison, document);
    }
}
