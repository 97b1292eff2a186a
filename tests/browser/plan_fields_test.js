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
