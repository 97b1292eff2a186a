/* The catalog of metrics: a metric is added, changed, used by a plan, and cannot go while it is used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPages, close, experiments, open, untilText } from './browser.js';

async function send(method, path, body) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const word = Date.now().toString(36);
const create = (name) => send('POST', '/metrics', { name, kind: 'binary', event_name: 'bought', baseline_value: 0.042, minimum_effect_pct: 5, window_days: 14 });

test('a metric is added and gets its next version', async () => {
    const page = await open(`${experiments}/catalog`);
    await page.click('#new-metric');
    await page.fill('#metric-name', `Added ${word}`);
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('#metric-event_name[aria-invalid="true"]');
    await page.fill('#metric-event_name', 'order');
    await page.fill('#metric-minimum_effect_pct', '4');
    await page.click('dialog button[type="submit"]');
    await page.waitForURL(/\/catalog\/[0-9a-f-]{36}$/);
    await untilText(page, '#name', `Added ${word}`);
    await untilText(page, '#definition .badge', 'Version 1');
    await page.click('#edit-metric');
    await page.fill('#metric-minimum_effect_pct', '3');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#definition .badge', 'Version 2');
    await untilText(page, '.card:has(#versions-title) tbody tr', /2.*minimum_effect_pct/);
    await page.click('#delete-metric');
    await page.click('dialog .dialog-actions button[data-kind]:not([data-kind="quiet"])');
    await page.waitForURL(/\/catalog$/);
    await close(page, [422]);
});

test('a plan starts from a metric, and the metric knows the plan', async () => {
    const { metric } = await create(`Used ${word}`);
    const page = await open(`${experiments}/catalog/${metric.id}`);
    await page.click('#plan-with');
    await page.waitForURL(/\/design\?metric=/);
    await page.waitForFunction(() => document.querySelector('#plan-project_name') !== null);
    const design = (await send('POST', '/templates/checkout_conversion/use')).payload;
    const { defaults } = await send('GET', `/metrics/${metric.id}`);
    const project = await send('POST', '/projects', { ...design, project: { ...design.project, project_name: `Planned ${word}` }, metrics: { ...design.metrics, ...defaults } });
    await page.goto(`${experiments}/catalog/${metric.id}`);
    await untilText(page, '.card:has(#uses-title) tbody tr', new RegExp(`Planned ${word}.*1.*Current`));
    assert.ok(await page.isDisabled('#delete-metric'));
    await page.click(`.card:has(#uses-title) a[href="/live/${project.id}"]`);
    await page.click('#part-tab-plan');
    await page.click(`a[href="/catalog/${metric.id}"]`);
    await untilText(page, '#name', `Used ${word}`);
    await close(page);
});

const next = '.wizard-actions button[data-kind="primary"]';
const holds = (page, field, wanted) => page.waitForFunction(([id, value]) => document.getElementById(id)?.value === value, [`plan-${field}`, wanted]);

/* Saves the design on the page; the metrics of its payload. */
async function saved(page) {
    await page.click('.wizard-step:has-text("Review")');
    await page.click(next);
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}\?planned$/);
    return (await send('GET', `/projects/${new URL(page.url()).pathname.split('/').at(-1)}`)).payload.metrics;
}

test('a plan from a metric outlives a reload, and gives back the draft that it replaced', async () => {
    const { metric } = await create(`Reloaded ${word}`);
    const page = await open(`${experiments}/design`);
    await page.fill('#plan-project_name', `Draft ${word}`);
    await page.goto(`${experiments}/design?metric=${metric.id}`);
    await page.click('.toast button:has-text("Undo")');
    await holds(page, 'project_name', `Draft ${word}`);
    await page.reload();
    await holds(page, 'project_name', `Draft ${word}`);
    await page.click('#discard');
    await page.waitForURL(/\/design$/);
    await page.goto(`${experiments}/design?metric=${metric.id}`);
    await page.fill('#plan-project_name', `From a metric ${word}`);
    await page.reload();
    await holds(page, 'project_name', `From a metric ${word}`);
    const { catalog_metric: named } = await saved(page);
    assert.deepEqual(named, { id: metric.id, version: 1 });
    await close(page);
});

test('a plan names no metric of the catalog when it plans with another, or when that has gone', async () => {
    const { metric } = await create(`Left ${word}`);
    const page = await open(`${experiments}/design?metric=${metric.id}`);
    await page.fill('#plan-project_name', `Renamed ${word}`);
    await page.click('.wizard-step:has-text("Metric")');
    await page.fill('#plan-primary_metric_name', 'returned');
    const renamed = await saved(page);
    assert.deepEqual([renamed.primary_metric_name, renamed.catalog_metric ?? null], ['returned', null]);
    await page.goto(`${experiments}/design?metric=${metric.id}`);
    await page.fill('#plan-project_name', `Outlives ${word}`);
    await send('DELETE', `/metrics/${metric.id}`);
    const { primary_metric_name: event, catalog_metric: named = null } = await saved(page);
    assert.deepEqual([event, named], ['bought', null]);
    await close(page, [400]);
});

test('axe finds nothing, and nothing sticks out', async (t) => {
    const { metric } = await create(`Seen ${word}`);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        ['/catalog', 'tbody tr'],
        [`/catalog/${metric.id}`, '#definition'],
    ]);
});
