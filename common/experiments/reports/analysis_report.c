/* The report on a design, as a report document. */
#include "experiments/reports/reports.h"

static void add_calculations(const struct report_context *context,
                             const struct analysis_report *report, bool plain,
                             struct report_document *document)
{
    const struct report_calculations *made = report->calculations;
    const struct {
        const char *plain_key;
        const char *card_key;
        int64_t value;
    } rows[] = {
        {"export.sample_size_per_variant", "export.users_per_variant",
         made->sample_size_per_variant},
        {"export.total_sample_size", "export.total_sample_size", made->total_sample_size},
        {"export.estimated_duration_days", "export.estimated_duration_days",
         made->estimated_duration_days},
    };

    document_begin(document, plain ? BLOCK_FACTS : BLOCK_CARDS, 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        document_fact(document, report_label(context, plain ? rows[i].plain_key : rows[i].card_key),
                      plain ? report_print_count(context->arena, rows[i].value)
                            : print_thousands(context->arena, rows[i].value));
}

static void add_design(const struct report_context *context, const struct report_design *design,
                       bool plain, struct report_document *document)
{
    const struct {
        const char *key;
        const char *value;
    } rows[] = {
        {"export.randomization_unit", design->randomization_unit},
        {"export.traffic_split", report_split(context, &design->traffic_split)},
        {"export.target_audience", design->target_audience},
        {"export.inclusion_criteria", design->inclusion_criteria},
        {"export.exclusion_criteria", design->exclusion_criteria},
        {"export.recommended_duration_days",
         report_print_count(context->arena, design->recommended_duration_days)},
    };

    document_heading(document, 1, report_label(context, "export.experiment_design"));
    document_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(rows) - (plain ? 1 : 0); i++)
        document_fact(document, report_label(context, rows[i].key),
                      rows[i].value && *rows[i].value ? rows[i].value : document->none);
}

static void add_variants(const struct report_context *context, const struct report_design *design,
                         struct report_document *document)
{
    const struct report_variant *variants = design->variants.items;
    struct string_list texts = {
        .items = ARENA_ARRAY(context->arena, const char *, design->variants.count + 1)};

    for (; texts.count < design->variants.count; texts.count++)
        texts.items[texts.count] = arena_print(context->arena, "%s: %s", variants[texts.count].name,
                                               variants[texts.count].description);
    report_list(context, document, 2, "export.variants", &texts);
}

static void add_guardrails(const struct report_context *context, const struct object_list *list,
                           struct report_document *document)
{
    static const char *const keys[] = {"export.metric_name", "export.metric_type",
                                       "export.baseline", "export.detectable_mde", "export.note"};
    const struct report_guardrail *guardrails = list->items;

    if (!list->count)
        return;
    document_heading(document, 2, report_label(context, "export.guardrail_metrics"));
    document_begin(document, BLOCK_TABLE, COUNT_OF(keys));
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        document_add(document, report_label(context, keys[i]));
    for (size_t i = 0; i < list->count; i++) {
        struct optional_number mde = guardrails[i].detectable_mde_pp.given
                                         ? guardrails[i].detectable_mde_pp
                                         : guardrails[i].detectable_mde_absolute;

        document_add(document, guardrails[i].name);
        document_add(document, report_metric_type(context, guardrails[i].metric_type));
        document_add(document, report_probability(context, guardrails[i].baseline));
        document_add(document, mde.given ? report_probability(context, mde.value) : "-");
        document_add(document, guardrails[i].note);
    }
}

static void add_rest(const struct report_context *context, const struct analysis_report *report,
                     struct report_document *document)
{
    const struct {
        int level;
        const char *key;
        const struct string_list *texts; /* NULL: the heading alone */
    } rows[] = {
        {1, "export.risks", NULL},
        {2, "export.statistical", &report->risks->statistical},
        {2, "export.product", &report->risks->product},
        {2, "export.technical", &report->risks->technical},
        {2, "export.operational", &report->risks->operational},
        {1, "export.recommendations", NULL},
        {2, "export.before_launch", &report->recommendations->before_launch},
        {2, "export.during_test", &report->recommendations->during_test},
        {2, "export.after_test", &report->recommendations->after_test},
        {1, "export.open_questions", &report->open_questions},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].texts)
            report_list(context, document, rows[i].level, rows[i].key, rows[i].texts);
        else
            document_heading(document, rows[i].level, report_label(context, rows[i].key));
}

void report_of_analysis(const struct report_context *context, const struct analysis_report *report,
                        bool plain, struct report_document *document)
{
    const struct report_metrics *metrics = report->metrics_plan;

    report_start(context, document, NULL);
    if (!plain)
        add_calculations(context, report, plain, document);
    document_heading(document, 1, report_label(context, "export.executive_summary"));
    document_text(document, report->executive_summary);
    if (plain) {
        document_heading(document, 1, report_label(context, "export.calculations"));
        add_calculations(context, report, plain, document);
        report_list(context, document, 2, "export.assumptions", &report->calculations->assumptions);
    }
    add_design(context, report->experiment_design, plain, document);
    if (!plain) {
        add_variants(context, report->experiment_design, document);
        report_list(context, document, 2, "export.assumptions", &report->calculations->assumptions);
    }
    document_heading(document, 1, report_label(context, "export.metrics_plan"));
    report_list(context, document, 2, "export.primary", &metrics->primary);
    report_list(context, document, 2, "export.secondary", &metrics->secondary);
    report_list(context, document, 2, "export.guardrail", &metrics->guardrail);
    report_list(context, document, 2, "export.diagnostic", &metrics->diagnostic);
    if (!plain)
        add_guardrails(context, &report->guardrail_metrics, document);
    add_rest(context, report, document);
}
