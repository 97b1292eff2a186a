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

test('axe finds nothing, and nothing sticks out', async (t) => {
    const { metric } = await create(`Seen ${word}`);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        ['/catalog', 'tbody tr'],
        [`/catalog/${metric.id}`, '#definition'],
    ]);
});
