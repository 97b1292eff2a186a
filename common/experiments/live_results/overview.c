/* Renews the stored figures of experiments whose events or design have changed. */
#include "experiments/live_results/overview.h"

#include "experiments/live/overview_store.h"
#include "experiments/live_results/headline.h"

static enum error renew(const struct live_call *call, const struct live_results_call *results,
                        const char *id)
{
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);
    struct overview_summary summary;
    struct headline_figures figures;
    enum error error = live_view_load(call, id, &(struct live_view_options){0}, view);

    if (error)
        return error;
    headline_figures(results, view, &figures);
    summary = (struct overview_summary){.version = view->experiment.version,
                                        .design_at = view->updated_at,
                                        .verdict = verdict_names[figures.verdict],
                                        .headline = headline_names[figures.headline],
                                        .people = figures.people,
                                        .planned = figures.planned,
                                        .variation_index = figures.variation_index,
                                        .effect_relative = figures.effect_relative};
    if (view->has_source)
        summary.source_at = GIVEN_INTEGER(view->source.complete_at);
    if (view->has_source && view->source_state == LIVE_SOURCE_FRESH)
        summary.fresh_until = GIVEN_INTEGER(live_source_fresh_until(&view->source));
    return overview_save(call, id, &summary);
}

enum error overview_renew(const struct live_call *call, const struct live_results_call *results,
                          int64_t limit)
{
    struct string_list ids;
    enum error error = overview_outdated(call, limit, &ids);

    /* The list is still right without the newest figures of one experiment. */
    for (size_t i = 0; !error && i < ids.count; i++)
        if (renew(call, results, ids.items[i]))
            *call->problem = (struct problem){0};
    return error;
}
