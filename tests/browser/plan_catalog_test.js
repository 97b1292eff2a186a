/* The plan finds metrics of the catalog by name and takes them as goal, secondary metric and guardrail; an experiment gets an
 * alarm on a figure of live data. */
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
const next = '.wizard-actions button[data-kind="primary"]';
const said = '#from-catalog [role="status"][data-tone]';

const goal = { name: `转化率 ${word}`, kind: 'binary', event_name: `bought-${word}`, baseline_value: 0.042, minimum_effect_pct: 5, window_days: 14, owner: 'Shop team' };
const value = { name: `Order value ${word}`, kind: 'continuous', event_name: `value-${word}`, baseline_value: 48, std_dev: 31, minimum_effect_pct: 2, upper_cap: 500 };
const returns = { name: `Returns ${word}`, kind: 'binary', event_name: `returned-${word}`, direction: 'decrease', baseline_value: 0.03, minimum_effect_pct: 10, window_days: 30 };
const bare = { name: `Visits ${word}`, kind: 'count', event_name: `visits-${word}` };

/* Looks a metric up by its name and takes it in a role. */
async function take(page, { name }, role) {
    await page.fill('#catalog-search', name);
    await page.click(`.combobox-list [role="option"]:has-text("${name}")`);
    await page.click(`#catalog-found button[data-role="${role}"]`);
}

test('a plan takes goal, secondary metric and guardrail from the catalog by name', async () => {
    const made = {};
    for (const one of [goal, value, returns, bare]) made[one.name] = await send('POST', '/metrics', one);
    const page = await open(`${experiments}/design`);
    await page.fill('#plan-project_name', `By name ${word}`);
    await page.click('.wizard-step:has-text("Metric")');
    await page.fill('#catalog-search', goal.name);
    await page.click(`.combobox-list [role="option"]:has-text("${goal.name}")`);
    await untilText(page, '#catalog-found', /Shop team.*14.*5\s?%/s);
    await page.click('#catalog-found button[data-role="goal"]');
    await page.waitForFunction((event) => document.querySelector('#plan-primary_metric_name').value === event, goal.event_name);
    await take(page, value, 'secondary');
    await untilText(page, said, /secondary metric now/);
    await take(page, returns, 'guardrail');
    await untilText(page, '#plan-guardrails', new RegExp(`returned-${word}`));
    await take(page, bare, 'guardrail');
    await untilText(page, said, /needs the baseline/);
    await page.click('#catalog-found button[data-role="secondary"]');
    await untilText(page, said, /secondary metric now/);
    await take(page, value, 'guardrail');
    await untilText(page, said, /already/);
    await page.click('.wizard-step:has-text("Review")');
    await page.click(next);
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}\?planned$/);
    const { metrics } = (await send('GET', `/projects/${new URL(page.url()).pathname.split('/').at(-1)}`)).payload;
    assert.deepEqual(metrics.catalog_metric, { id: made[goal.name].metric.id, version: 1 });
    assert.deepEqual([metrics.primary_metric_name, metrics.baseline_value, metrics.mde_pct, metrics.conversion_window_days], [goal.event_name, 0.042, 5, 14]);
    assert.deepEqual(metrics.secondary_metrics, [value.event_name, bare.event_name]);
    const [guardrail] = metrics.guardrail_metrics;
    assert.deepEqual([guardrail.name, guardrail.metric_type, guardrail.baseline_rate, guardrail.direction, guardrail.non_inferiority_margin_pct], [returns.event_name, 'binary', 3, 'increase_is_bad', 10]);
    const rules = Object.fromEntries(metrics.metric_rules.map((rule) => [rule.name, rule]));
    assert.deepEqual([rules[value.event_name].upper_cap, rules[returns.event_name].conversion_window_days], [500, 30]);
    await close(page);
});

test('a guardrail can be taken out again, and the step looks as it should', async () => {
    await send('POST', '/metrics', { ...returns, name: `Out ${word}`, event_name: `out-${word}` });
    for (const look of looks) {
        const page = await open(inLook(`${experiments}/design`, look), look.options);
        await page.fill('#plan-project_name', `Look ${word}`);
        await page.click('.wizard-step >> nth=2');
        await take(page, { name: `Out ${word}` }, 'guardrail');
        await page.waitForSelector('#plan-guardrails li');
        await page.fill('#catalog-search', `Out ${word}`);
        await page.click(`.combobox-list [role="option"]:has-text("Out ${word}")`);
        await checkLook(page, '/design, metrics of the catalog', look);
        await page.click('#plan-guardrails button');
        await page.waitForSelector('#plan-guardrails', { state: 'detached' });
        await close(page);
    }
});

test('an experiment gets an alarm on a figure of live data, which is read and taken away', async () => {
    const design = (await send('POST', '/templates/checkout_conversion/use')).payload;
    const { id } = await send('POST', '/projects', { ...design, project: { ...design.project, project_name: `Watched ${word}` } });
    const page = await open(`${experiments}/live/${id}?part=events`);
    await page.click('#add-alarm');
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('#alarm-metric[aria-invalid="true"]');
    await page.selectOption('#alarm-metric', 'order_count');
    await page.selectOption('#alarm-window', '24h');
    await page.fill('#alarm-threshold', '-1');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#alarms tbody', /order_count/);
    /* The program reads every ten seconds; the page asks for the decision while it is visible. */
    await untilText(page, '#alarms tbody .badge', 'Alarm raised');
    await untilText(page, '#alarm-raised', /order_count \(24h\)/);
    for (const look of looks) {
        const shown = await open(inLook(`${experiments}/live/${id}?part=events`, look), look.options);
        await shown.waitForSelector('#alarm-raised');
        await checkLook(shown, '/live, alarms', look);
        await close(shown);
    }
    await page.click('#alarms tbody button');
    await page.waitForSelector('#alarms tbody', { state: 'detached' });
    await close(page, [422]);
});
