/* A metric of the catalog from live data: its names are those that live data offers, errors stand at their fields, and the
 * metric says how fresh what was read is. With live data away a sentence says so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLook, close, experiments, inLook, looks, open, untilText } from './browser.js';

async function send(method, path, body) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const word = Date.now().toString(36);
const submit = 'dialog button[type="submit"]';
const fromLivedata = 'dialog [data-field="source"] input[value="livedata"]';
const badge = (page, text) => untilText(page, '.card:has(#sources-title) tbody .badge', text);

/* Opens the form of a new metric and chooses live data. */
async function openForm(page) {
    await page.click('#new-metric');
    await page.locator(fromLivedata).check({ force: true });
}

test('a metric from live data is made of the names that live data offers, and changed', async () => {
    const page = await open(`${experiments}/catalog`);
    await openForm(page);
    await page.fill('#metric-name', `Orders ${word}`);
    await page.fill('#metric-event_name', `orders-${word}`);
    assert.equal(await page.locator('dialog [data-field="kind"] input[value="ratio"]').count(), 0);
    await page.selectOption('#metric-entity_type', 'order');
    await page.selectOption('#metric-time_column', 'created_at');
    await page.click(submit);
    await page.waitForSelector('#metric-user_column[aria-invalid="true"]');
    await page.selectOption('#metric-user_column', 'user_id');
    await page.selectOption('#metric-value_column', 'total_amount');
    await page.locator('dialog [data-field="kind"] input[value="continuous"]').check({ force: true });
    await page.fill('#metric-baseline_value', '48');
    await page.fill('#metric-std_dev', '31');
    await page.fill('#metric-minimum_effect_pct', '5');
    await page.fill('#metric-window_days', '14');
    await page.click(submit);
    await page.waitForURL(/\/catalog\/[0-9a-f-]{36}$/);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { metric, defaults } = await send('GET', `/metrics/${id}`);
    assert.deepEqual(metric.definition.livedata, { entity_type: 'order', user_column: 'user_id', value_column: 'total_amount', time_column: 'created_at' });
    assert.deepEqual([metric.definition.kind, metric.definition.window_days, metric.definition.minimum_effect_pct], ['continuous', 14, 5]);
    await untilText(page, '.card:has(#sources-title)', /No experiment reads it yet/);
    await page.click('#edit-metric');
    assert.ok(await page.getAttribute('#metric-event_name', 'readonly') !== null);
    await page.fill('#metric-owner', 'Shop team');
    await page.click(submit);
    await untilText(page, '#definition .badge', 'Version 2');
    const design = (await send('POST', '/templates/checkout_conversion/use')).payload;
    const project = await send('POST', '/projects', { ...design, project: { ...design.project, project_name: `Read ${word}` }, metrics: { ...design.metrics, ...defaults } });
    await page.reload();
    await badge(page, 'Not read yet');
    await page.click(`.card:has(#sources-title) a[href="/live/${project.id}"]`);
    await page.waitForURL(new RegExp(`/live/${project.id}`));
    await close(page, [422]);
});

test('with live data away the names are typed, and a sentence says why', async () => {
    const page = await open(`${experiments}/catalog`);
    await page.route('**/api/v1/livedata', (route) => route.fulfill({ json: { status: 'unavailable', text: 'live data did not answer: unreachable', entities: [], figures: [] } }));
    await openForm(page);
    await untilText(page, 'dialog [data-field="source"] .field-hint', /did not answer: unreachable.*You can type/);
    await page.fill('#metric-entity_type', 'order');
    await page.fill('#metric-user_column', 'user_id');
    await page.fill('#metric-time_column', 'created_at');
    await page.fill('#metric-name', `Typed ${word}`);
    await page.fill('#metric-event_name', `typed-${word}`);
    await page.click(submit);
    await page.waitForURL(/\/catalog\/[0-9a-f-]{36}$/);
    await close(page);
});

test('the form looks as it should in every look', async () => {
    for (const look of looks) {
        const page = await open(inLook(`${experiments}/catalog`, look), look.options);
        await openForm(page);
        await page.waitForSelector('#metric-user_column');
        await checkLook(page, '/catalog, the form of live data', look);
        await close(page);
    }
});
