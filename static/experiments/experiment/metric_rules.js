/* How the values of each metric of the design count: its window after the exposure, and caps. Changed in a dialog. */
import { t } from '../../shared/i18n.js';
import { formatInteger, formatNumber } from '../../shared/numbers.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { table } from '../../shared/ui/table.js';
import { known } from '../figures.js';
import { writers } from '../roles.js';

/* Every metric once; of a ratio the two that it is made of. */
/** @param {experiments.ExperimentPayload} payload */
export function metricsOf({ metrics }) {
    const own = metrics.metric_type === 'ratio' ? [metrics.numerator_metric_name, metrics.denominator_metric_name] : [metrics.primary_metric_name];
    const robust = (metrics.robust_metrics ?? []).map(({ name }) => name);
    const guardrails = (metrics.guardrail_metrics ?? []).map(({ name }) => name);
    return [...new Set([...own, ...guardrails, ...(metrics.secondary_metrics ?? []), ...robust].filter(Boolean))];
}

const ruleOf = (metrics, name) => (metrics.metric_rules ?? []).find((rule) => rule.name === name) ?? null;

/* The window that holds for a metric: its own, else that of the experiment. */
function windowText(metrics, rule) {
    const own = known(rule?.conversion_window);
    const { conversion_window: window, conversion_window_days: days } = own ? rule : metrics;
    if (window !== 'after_exposure') return t('experiment.window_all');
    return known(days) ? t('experiment.window_days', { count: formatNumber(days) }) : t('experiment.window_after');
}

const cap = (value) => (known(value) ? formatNumber(value) : '–');

/** @param {experiments.ExperimentPayload} payload */
export function rulesCard(payload, people, edit) {
    const { metrics } = payload;
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return html`<section class="card section stack" aria-labelledby="rules-title" id="rules">
        <div class="section-head"><h2 id="rules-title">${t('experiment.rules')}</h2></div>
        <p class="section-note">${t('experiment.rules_note')}</p>
        ${people > 0 ? html`<p class="section-note">${t('experiment.rules_late')}</p>` : null}
        ${table({
            caption: t('experiment.rules'),
            columns: [
                { name: 'name', title: t('experiment.metric'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
                { name: 'window', title: t('experiment.window'), cell: ({ rule }) => windowText(metrics, rule) },
                end('lower', t('experiment.lower_cap'), ({ rule }) => cap(rule?.lower_cap)),
                end('upper', t('experiment.upper_cap'), ({ rule }) => cap(rule?.upper_cap)),
                {
                    name: 'edit',
                    title: t('experiment.rule_edit'),
                    titleHidden: true,
                    cell: ({ name }) => html`<button type="button" class="button" data-size="small" data-for=${writers} data-rule=${name} aria-label=${`${t('experiment.rule_edit')}: ${name}`} @click=${() => edit(name)}>${t('experiment.rule_edit')}</button>`,
                },
            ],
            rows: metricsOf(payload).map((name) => ({ name, rule: ruleOf(metrics, name) })),
        })}
    </section>`;
}

const windows = ['', 'all', 'after_exposure'];
const isAfter = ({ conversion_window: window }) => window === 'after_exposure';

const fields = [
    { name: 'conversion_window', kind: 'select', label: () => t('experiment.window'), wide: true, options: () => windows.map((value) => ({ value, title: t(`experiment.window_choice_${value || 'same'}`) })) },
    { name: 'conversion_window_days', kind: 'number', optional: true, label: () => t('experiment.window_length'), applies: isAfter },
    { name: 'lower_cap', kind: 'number', optional: true, label: () => t('experiment.lower_cap'), hint: () => t('experiment.lower_cap_hint') },
    { name: 'upper_cap', kind: 'number', optional: true, label: () => t('experiment.upper_cap'), hint: () => t('experiment.upper_cap_hint') },
];

/* A rule that says nothing is none. */
function made(name, { conversion_window: window, ...values }) {
    const rule = { name, conversion_window: window || null, conversion_window_days: values.conversion_window_days ?? null, lower_cap: values.lower_cap ?? null, upper_cap: values.upper_cap ?? null };
    return Object.values(rule).filter(known).length > 1 ? [rule] : [];
}

/* save(payload) resolves when the design is kept. Resolves to whether the rule was saved. */
export function editRule(name, { payload, people, save }) {
    const rules = payload.metrics.metric_rules ?? [];
    const before = rules.find((rule) => rule.name === name) ?? {};
    return formDialog({
        id: 'rule',
        title: t('experiment.rule_title', { name }),
        fields,
        values: { ...before, conversion_window: before.conversion_window ?? '' },
        action: t('experiment.rule_save'),
        intro: people > 0 ? notice({ tone: 'caution', body: t('experiment.rules_late_more', { count: formatInteger(people) }) }) : html``,
        send: async (values) => {
            const others = rules.filter((rule) => rule.name !== name);
            return { data: await save({ ...payload, metrics: { ...payload.metrics, metric_rules: [...others, ...made(name, values)] } }) };
        },
    });
}
