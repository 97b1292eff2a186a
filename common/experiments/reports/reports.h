/*
 * Builds reports of projects and analyses as report documents and worksheets, in the user's
 * language. common/report knows the file formats.
 */
#ifndef ASSAY_EXPERIMENTS_REPORTS_REPORTS_H
#define ASSAY_EXPERIMENTS_REPORTS_REPORTS_H

#include "experiments/reports/comparison.h"
#include "experiments/reports/report_context.h"
#include "report/worksheet.h"

enum { REPORT_SHEETS = 4, REPORT_REVISIONS_MAX = 8 };

/* A design report, as stored with analyses: for Markdown, or with cards and tables for HTML. */
void report_of_analysis(const struct report_context *context, const struct analysis_report *report,
                        bool plain, struct report_document *document);

/* A project with its newest analysis and revisions, newest first. */
void report_of_project(const struct report_context *context,
                       const struct project_snapshot *snapshot, const struct object_list *revisions,
                       struct report_document *document);

void report_of_comparison(const struct report_context *context, const struct comparison *comparison,
                          bool paged, struct report_document *document);

/* Parts of JSON documents sent by a client; any may be NULL, and any member may be missing. */
struct report_parts {
    const char *project_name;
    const char *hypothesis;
    const json_t *calculation;
    const json_t *design;
    const json_t *ai_advice;
    const json_t *sensitivity;
    const json_t *results;
    const char *now; /* YYYY-MM-DD HH:MM UTC */
};
void report_of_parts(const struct report_context *context, const struct report_parts *parts,
                     struct report_document *document);

/* The rows shared by CSV and workbook: sample sizes, sensitivity, guardrails, inputs. */
void report_sheets(const struct report_context *context, const struct project_snapshot *snapshot,
                   struct worksheet sheets[REPORT_SHEETS]);
void report_csv(const struct report_context *context, const struct project_snapshot *snapshot,
                struct text *out);

/* Effects in percent around a plan of `mde_pct`: at most four, ascending. Returns the count. */
enum { REPORT_EFFECTS_MAX = 4 };
size_t report_effects(double mde_pct, double effects[REPORT_EFFECTS_MAX]);

/* The plan of the project's design for another effect and power; absent when there is no plan. */
struct report_size {
    struct optional_integer users;
    struct optional_integer days;
};
struct report_size report_size_of(const struct project_snapshot *snapshot, double mde_pct,
                                  double power);

/* A file name such as "a-b-pricing-v2"; ab-test-report when no character is usable. */
const char *report_slug(struct arena *arena, const char *name);

/* The variant's own name, or one made from its number, which counts from 0. */
const char *report_variant_name(const struct report_context *context,
                                const struct report_variant *variant, size_t number);

/* YYYY-MM-DD HH:MM UTC of a stored time. */
const char *report_moment(struct arena *arena, const char *stored);

/* Charts that several reports use. */
const struct drawing *report_power_curve(const struct report_context *context,
                                         const struct project_snapshot *snapshot);
const struct drawing *report_heat(const struct report_context *context,
                                  const struct project_snapshot *snapshot);
void report_results(const struct report_context *context, const struct results_reply *results,
                    struct report_document *document);

#endif
