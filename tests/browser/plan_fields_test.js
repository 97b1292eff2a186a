/* The fields of the plan form against the designs that they make: what is asked for arrives, and what is not asked for stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, experiments, open } from './browser.js';

async function send(method, path, body) {
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const designOf = async (id) => (await send('GET', `/projects/${id}`)).payload;

/* A template with `changes` to its blocks, as a project. */
async function create(changes) {
    const { payload } = await send('GET', '/templates/checkout_conversion');
    const changed = Object.fromEntries(Object.entries(payload).map(([block, values]) => [block, { ...values, ...changes[block] }]));
    return (await send('POST', '/projects', changed)).id;
}

const step = (page, name) => page.click(`.wizard-step:has-text("${name}")`);

async function save(page) {
    await step(page, 'Review');
    await page.click('.wizard-actions button[data-kind="primary"]');
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
}

/* Opens a design in the form, renames it, and saves it. */
async function rename(id) {
    const page = await open(`${experiments}/design?project=${id}`);
    await page.fill('#plan-project_name', 'Renamed');
    await save(page);
    await close(page);
}

const metrics = {
    primary_metric_name: 'revenue',
    metric_type: 'continuous',
    baseline_value: 30,
    std_dev: 11,
    mde_pct: 3,
    secondary_metrics: ['refunds'],
    secondary_directions: [{ name: 'refunds', direction: 'decrease' }],
    guardrail_metrics: [{ name: 'latency', metric_type: 'continuous', baseline_mean: 300, std_dev: 90, direction: 'increase_is_bad', non_inferiority_margin_pct: 5 }],
    robust_metrics: [{ name: 'revenue', statistic: 'quantile', at: 90, ignore_zeros: true, direction: 'increase' }],
    metric_rules: [{ name: 'revenue', conversion_window: 'after_exposure', conversion_window_days: 7, lower_cap: null, upper_cap: 500 }],
    goals: { further: [{ name: 'returned', metric_type: 'binary', direction: 'increase', worthwhile_effect: 0.02 }], requires: 'all', correction: 'in_order', reading: 'planned_end' },
    bayes: { prior: { mean: 30, n: 200, std: 11, degrees: 40 }, credibility: 0.9, loss_threshold: 0.05 },
};
const setup = {
    namespace: { id: 'checkout', range_start: 0.1, range_end: 0.6 },
    targeting_rules: [{ attribute: 'country', operator: 'in', value: ['NO', 'SE'] }],
    dimensions: [{ name: 'platform', values: ['ios', 'web'] }],
};
const switchback = { starts_at: '2026-05-01T06:30:15Z', period_minutes: 45, periods: 96, washout_minutes: 5, assignment: 'alternating', cluster_by: 'unit' };
const planned = { alpha_spending: 'kim_demets', alpha_parameter: 3, futility: 'non_binding', beta_spending: 'hwang_shih_decani', beta_parameter: -4, information_fractions: [0.3, 0.7, 1] };

for (const [name, changes] of Object.entries({
    'users on their own': { setup, metrics, constraints: { planned_looks: planned, n_looks: 1 } },
    'readings at any time': { setup, metrics, constraints: { hybrid: { early_share: 0.3, tuned_fraction: 0.7 }, n_looks: 1 } },
    'clusters that take turns': { setup: { ...setup, randomization_unit: 'cluster', avg_cluster_size: 20, icc: 0.02, clusters: { unit: 'city', switchback } }, metrics, constraints: {} },
    'clusters of live results alone': { setup: { ...setup, clusters: { unit: 'city', switchback } }, metrics, constraints: {} },
}))
    test(`an edit through the form keeps what the form does not show: ${name}`, async () => {
        const id = await create(changes);
        const before = await designOf(id);
        assert.equal(before.setup.clusters?.switchback.assignment, changes.setup.clusters?.switchback.assignment);
        await rename(id);
        const after = await designOf(id);
        assert.equal(after.project.project_name, 'Renamed');
        assert.deepEqual(after, { ...before, project: { ...before.project, project_name: 'Renamed' } });
    });

/* Opens the form of a template's design at a step, with what it takes to save it. */
async function startPlan(name) {
    const page = await open(`${experiments}/design`);
    await page.selectOption('#template', 'checkout_conversion');
    await page.fill('#plan-project_name', name);
    return page;
}

test('planned looks, posteriors and groups that take turns arrive as they were entered', async () => {
    const page = await startPlan('Looks');
    await step(page, 'Metric');
    await page.selectOption('#plan-bayes', 'own');
    await page.fill('#plan-bayes_prior_a', '21');
    await page.fill('#plan-bayes_prior_b', '181');
    await page.fill('#plan-bayes_credibility', '90%');
    await page.fill('#plan-bayes_loss_threshold', '0.001');
    await step(page, 'Traffic');
    await page.selectOption('#plan-planned_looks_alpha_spending', 'hwang_shih_decani');
    assert.equal(await page.locator('#plan-n_looks').count(), 0);
    await page.fill('#plan-planned_looks_alpha_parameter', '-4');
    await page.fill('#plan-planned_looks_information_fractions', '50% 25% 100%');
    await page.selectOption('#plan-planned_looks_futility', 'binding');
    await page.click('label:has(#plan-randomization_unit), #plan-randomization_unit');
    await page.fill('#plan-avg_cluster_size', '20');
    await page.fill('#plan-icc', '0.02');
    await page.fill('#plan-cluster_unit', 'city');
    await page.click('label:has(#plan-switchback), #plan-switchback');
    await page.fill('#plan-switchback_starts_at', '2026-05-01 06:30');
    await page.fill('#plan-switchback_period_minutes', '45');
    await page.fill('#plan-switchback_periods', '96');
    await page.fill('#plan-switchback_washout_minutes', '5');
    await step(page, 'Review');
    await page.click('.wizard-actions button[data-kind="primary"]');
    await page.waitForSelector('#plan-planned_looks_information_fractions[aria-invalid="true"]'); /* looks ascend */
    await step(page, 'Traffic');
    await page.fill('#plan-planned_looks_information_fractions', '25% 50% 100%');
    await save(page);
    const { metrics: { bayes }, constraints: { planned_looks: looks, n_looks: even }, setup: { clusters } } = await designOf(new URL(page.url()).pathname.split('/').at(-1));
    assert.deepEqual([bayes.prior.a, bayes.prior.b, bayes.credibility, bayes.loss_threshold], [21, 181, 0.9, 0.001]);
    assert.deepEqual([looks.alpha_spending, looks.alpha_parameter, looks.information_fractions, looks.futility, looks.beta_spending, even], ['hwang_shih_decani', -4, [0.25, 0.5, 1], 'binding', 'obrien_fleming', 1]);
    const { starts_at: start, period_minutes: length, periods, washout_minutes: washout } = clusters.switchback;
    assert.deepEqual([clusters.unit, Date.parse(start), length, periods, washout], ['city', Date.parse('2026-05-01T06:30:00Z'), 45, 96, 5]);
    await close(page, [422]);
});
