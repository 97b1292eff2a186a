/* The report on a design as a document. */
#include "experiments/reports/reports.h"

static void add_calculations(const struct report_desk *desk, const struct analysis_report *report,
                             bool plain, struct folio *document)
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

    folio_begin(document, plain ? BLOCK_FACTS : BLOCK_CARDS, 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        folio_fact(document, desk_word(desk, plain ? rows[i].plain_key : rows[i].card_key),
                   plain ? report_print_count(desk->arena, rows[i].value)
                         : print_thousands(desk->arena, rows[i].value));
}

static void add_design(const struct report_desk *desk, const struct report_design *design,
                       bool plain, struct folio *document)
{
    const struct {
        const char *key;
        const char *value;
    } rows[] = {
        {"export.randomization_unit", design->randomization_unit},
        {"export.traffic_split", desk_split(desk, &design->traffic_split)},
        {"export.target_audience", design->target_audience},
        {"export.inclusion_criteria", design->inclusion_criteria},
        {"export.exclusion_criteria", design->exclusion_criteria},
        {"export.recommended_duration_days",
         report_print_count(desk->arena, design->recommended_duration_days)},
    };

    folio_heading(document, 1, desk_word(desk, "export.experiment_design"));
    folio_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(rows) - (plain ? 1 : 0); i++)
        folio_fact(document, desk_word(desk, rows[i].key),
                   rows[i].value && *rows[i].value ? rows[i].value : document->none);
}

static void add_variants(const struct report_desk *desk, const struct report_design *design,
                         struct folio *document)
{
    const struct report_variant *variants = design->variants.items;
    struct string_list texts = {
        .items = ARENA_ARRAY(desk->arena, const char *, design->variants.count + 1)};

    for (; texts.count < design->variants.count; texts.count++)
        texts.items[texts.count] = arena_print(desk->arena, "%s: %s", variants[texts.count].name,
                                               variants[texts.count].description);
    desk_list(desk, document, 2, "export.variants", &texts);
}

static void add_guardrails(const struct report_desk *desk, const struct object_list *list,
                           struct folio *document)
{
    static const char *const keys[] = {"export.metric_name", "export.metric_type",
                                       "export.baseline", "export.detectable_mde", "export.note"};
    const struct report_guardrail *guardrails = list->items;

    if (!list->count)
        return;
    folio_heading(document, 2, desk_word(desk, "export.guardrail_metrics"));
    folio_begin(document, BLOCK_TABLE, COUNT_OF(keys));
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        folio_add(document, desk_word(desk, keys[i]));
    for (size_t i = 0; i < list->count; i++) {
        struct optional_number mde = guardrails[i].detectable_mde_pp.given
                                         ? guardrails[i].detectable_mde_pp
                                         : guardrails[i].detectable_mde_absolute;

        folio_add(document, guardrails[i].name);
        folio_add(document, desk_metric_type(desk, guardrails[i].metric_type));
        folio_add(document, desk_small(desk, guardrails[i].baseline));
        folio_add(document, mde.given ? desk_small(desk, mde.value) : "-");
        folio_add(document, guardrails[i].note);
    }
}

static void add_rest(const struct report_desk *desk, const struct analysis_report *report,
                     struct folio *document)
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
            desk_list(desk, document, rows[i].level, rows[i].key, rows[i].texts);
        else
            folio_heading(document, rows[i].level, desk_word(desk, rows[i].key));
}

void report_of_analysis(const struct report_desk *desk, const struct analysis_report *report,
                        bool plain, struct folio *document)
{
    const struct report_metrics *metrics = report->metrics_plan;

    desk_start(desk, document, NULL);
    if (!plain)
        add_calculations(desk, report, plain, document);
    folio_heading(document, 1, desk_word(desk, "export.executive_summary"));
    folio_text(document, report->executive_summary);
    if (plain) {
        folio_heading(document, 1, desk_word(desk, "export.calculations"));
        add_calculations(desk, report, plain, document);
        desk_list(desk, document, 2, "export.assumptions", &report->calculations->assumptions);
    }
    add_design(desk, report->experiment_design, plain, document);
    if (!plain) {
        add_variants(desk, report->experiment_design, document);
        desk_list(desk, document, 2, "export.assumptions", &report->calculations->assumptions);
    }
    folio_heading(document, 1, desk_word(desk, "export.metrics_plan"));
    desk_list(desk, document, 2, "export.primary", &metrics->primary);
    desk_list(desk, document, 2, "export.secondary", &metrics->secondary);
    desk_list(desk, document, 2, "export.guardrail", &metrics->guardrail);
    desk_list(desk, document, 2, "export.diagnostic", &metrics->diagnostic);
    if (!plain)
        add_guardrails(desk, &report->guardrail_metrics, document);
    add_rest(desk, report, document);
}
