/* The tabs of an experiment show what the API says, and lead on: each figure is held against the answer of its route. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkPages, close, experiments, open, untilText } from './browser.js';
import { designOf } from './designs.js';

const design = designOf('Checkout by platform');

async function send(method, path, body) {
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const read = (path) => send('GET', path);
const create = async (metrics = {}) => (await send('POST', '/projects', { ...design, metrics: { ...design.metrics, ...metrics } })).id;

/* 1000 users in each arm, on two platforms by turns; of each hundred of a platform, as many convert as percents[arm][platform] says. */
const platforms = ['ios', 'web'];
async function run(id, percents) {
    for (const arm of [0, 1]) {
        const users = Array.from({ length: 1000 }, (_, index) => ({ name: `${arm}-${index}`, platform: index % 2, rank: Math.floor(index / 2) % 100 }));
        await send('POST', `/experiments/${id}/exposures`, {
            exposures: users.map(({ name, platform }) => ({ user_id: name, variation_index: arm, dimensions: [{ name: 'platform', value: platforms[platform] }] })),
        });
        const bought = users.filter(({ platform, rank }) => rank < percents[arm][platform]);
        await send('POST', `/experiments/${id}/conversions`, { conversions: bought.map(({ name }) => ({ user_id: name, metric: 'purchase', value: 1, idempotency_key: name })) });
    }
}

/* What a page writes of a number: signs, separators and units aside. */
const numbersIn = (text) => [...text.replaceAll('\u2212', '-').replaceAll(',', '').matchAll(/[-+]?\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
const rounded = (value, decimals) => Number(value.toFixed(decimals));
const cellsOf = (page, selector) => page.$$eval(`${selector} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.replace(/\s+/g, ' ').trim())));

test('segments: dimensions are named on the page, and what is discovered is what the API discovers', async () => {
    const id = await create();
    const page = await open(`${experiments}/live/${id}?part=segments`);
    await untilText(page, '#segments .empty-title', 'No segments are defined');
    await page.click('#add-dimension');
    await page.fill('#dimension-name', 'platform');
    await page.fill('#dimension-values', 'ios, web');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#dimensions tbody tr', /platform\s*ios, web, all others/);
    assert.deepEqual((await read(`/projects/${id}`)).payload.setup.dimensions.map(({ name, values }) => [name, values]), [['platform', ['ios', 'web']]]);
    await run(id, [[20, 20], [60, 21]]);
    await untilText(page, '#segments-title', '1 segment result is a discovery');
    const slices = await read(`/experiments/${id}/slices`);
    assert.equal(slices.discoveries, 1);
    const figures = await page.$$eval('#segments .figure-value', (all) => all.map((one) => one.textContent));
    assert.deepEqual(figures.map(Number), [slices.discoveries, slices.differences, slices.users_needed]);
    const rows = await cellsOf(page, '#segment-list > .table-scroll');
    assert.equal(rows.length, slices.slices.length);
    for (const [index, { value, people, effects: [effect] }] of slices.slices.entries()) {
        const [name, users, control, treatment, change, interval, meaning] = rows[index];
        assert.equal(name, `platform: ${value}`);
        assert.equal(numbersIn(users)[0], people);
        assert.deepEqual([control, treatment].map((text) => numbersIn(text)[0]), [effect.control_value, effect.treatment_value].map((share) => rounded(100 * share, 1)));
        assert.equal(numbersIn(change)[0], rounded(100 * effect.effect, 2));
        assert.deepEqual(numbersIn(interval), [effect.ci_lower, effect.ci_upper].map((end) => rounded(100 * end, 2)));
        assert.equal(meaning.startsWith('Discovery: better'), effect.is_discovered);
    }
    await untilText(page, '#discoveries', /platform: ios: Variant B is better on purchase/);
    assert.equal(await page.locator('#segments-plot .interval-bar').count(), 2);
    await page.click('[data-remove="platform"]');
    await page.click('dialog .dialog-actions button[data-kind]:not([data-kind="quiet"])');
    await untilText(page, '#segments .empty-title', 'No segments are defined');
    await close(page);
});


const day = 86400;
const monday = 1769990400;

/* `perDay[day]` users a day by turns in the two arms; half of them buy, but for nobody of arm 1 where `silent`. */
async function runDays(id, perDay, { silent = false } = {}) {
    const users = perDay.flatMap((count, at) => Array.from({ length: count }, (_, index) => ({ name: `d${at}-${index}`, arm: index % 2, at: monday + at * day + 3600 + index, buys: Math.floor(index / 2) % 2 === 0 })));
    for (let from = 0; from < users.length; from += 1000)
        await send('POST', `/experiments/${id}/exposures`, { exposures: users.slice(from, from + 1000).map(({ name, arm, at }) => ({ user_id: name, variation_index: arm, occurred_at: at })) });
    const bought = users.filter(({ buys, arm }) => buys && !(silent && arm === 1));
    for (let from = 0; from < bought.length; from += 1000)
        await send('POST', `/experiments/${id}/conversions`, { conversions: bought.slice(from, from + 1000).map(({ name, at }) => ({ user_id: name, metric: 'purchase', value: 1, idempotency_key: name, occurred_at: at + 60 })) });
    return users;
}

test('quality: every check has the verdict of the API, its figures, and what to do about an alarm', async () => {
    const id = await create();
    const users = await runDays(id, Array.from({ length: 16 }, (_, at) => (at === 12 ? 10 : 80)), { silent: true });
    await send('POST', `/experiments/${id}/exposures`, { exposures: users.slice(0, 30).map(({ name, arm, at }) => ({ user_id: name, variation_index: 1 - arm, occurred_at: at + 5 })) });
    const page = await open(`${experiments}/live/${id}?part=events`);
    const codes = { ratio: 'SAMPLE_RATIO', users: 'USERS_FELL', events: 'EVENTS_FELL', silent: 'SILENT_ARM', several: 'CONTAMINATED', balance: 'UNBALANCED', weekdays: 'WEEKDAYS_DIFFER', novelty: 'EFFECT_CHANGES' };
    await untilText(page, '#checks-title', /^\d checks need attention$/);
    const quality = await read(`/experiments/${id}/quality`);
    const severities = Object.fromEntries(quality.alarms.map(({ code, severity }) => [code, severity]));
    assert.equal(severities.SEVERAL_ARMS, 'high');
    delete severities.SEVERAL_ARMS; /* the same check shows the graver alarm */
    const shown = await page.$$eval('.check-item', (all) => all.map(({ dataset }) => [dataset.check, dataset.verdict]));
    assert.deepEqual(Object.keys(codes).toSorted(), shown.map(([name]) => name).toSorted());
    const alarms = shown.filter(([, verdict]) => ['medium', 'high'].includes(verdict));
    assert.deepEqual(Object.fromEntries(alarms.map(([name, verdict]) => [codes[name], verdict])), severities);
    assert.deepEqual(Object.keys(severities).toSorted(), ['CONTAMINATED', 'SILENT_ARM', 'USERS_FELL']);
    assert.deepEqual(shown.slice(0, 3), alarms, 'alarms come first');
    for (const [name] of alarms) assert.ok((await page.locator(`[data-check="${name}"] .check-next`).textContent()).length > 30, name);
    await page.$$eval('.check-item details', (all) => all.forEach((one) => (one.open = true)));
    const fell = await cellsOf(page, '[data-check="users"]');
    assert.deepEqual(fell.map(([, arm, count, usual]) => [arm, Number(count), Number(usual)]), quality.falls.filter(({ what }) => what === 'users').map(({ count, usual }) => ['All variants', count, usual]));
    const several = await cellsOf(page, '[data-check="several"]');
    assert.deepEqual(several.map(([, people, crossed]) => [numbersIn(people)[0], Number(crossed)]), quality.contamination.map(({ users: people, in_several_arms: crossed }) => [people, crossed]));
    assert.match(await page.textContent('[data-check="ratio"] .facts'), new RegExp(quality.sample_ratio.observed.join(' : ')));
    assert.deepEqual(Object.fromEntries(shown).weekdays, quality.weekday_effects[0].status === 'ok' ? 'ok' : 'early');
    assert.equal(numbersIn((await cellsOf(page, '[data-check="silent"]'))[0][2])[0], rounded(quality.silent_arms[0].expected, 1));
    await close(page);
});

test('segments and the split of an experiment of groups say why there are none', async () => {
    const { id } = await send('POST', '/projects', { ...design, setup: { ...design.setup, randomization_unit: 'cluster', clusters: { unit: 'shop' }, dimensions: [{ name: 'platform', values: platforms }] } });
    for (const arm of [0, 1])
        await send('POST', `/experiments/${id}/exposures`, { exposures: Array.from({ length: 20 }, (_, user) => ({ user_id: `${arm}-${user}`, variation_index: arm, cluster: `${arm}-${user % 4}`, dimensions: [{ name: 'platform', value: 'ios' }] })) });
    const page = await open(`${experiments}/live/${id}?part=segments`);
    await untilText(page, '#segments .empty-title', 'Segments are not compared here');
    await page.click('#part-tab-events');
    await page.waitForSelector('[data-check="ratio"][data-verdict="none"]');
    assert.match(await page.textContent('[data-check="ratio"] .check-next'), /no fixed split/);
    await close(page);
});

/* Revenue that what was spent before explains in part. */
async function runRevenue(id) {
    const spent = (index) => 10 + (index % 37);
    for (const arm of [0, 1]) {
        const users = Array.from({ length: 400 }, (_, index) => ({ name: `${arm}-${index}`, index }));
        await send('POST', `/experiments/${id}/pre-period`, { pre_period_values: users.map(({ name, index }) => ({ user_id: name, covariate_name: 'spent', value: spent(index) })) });
        await send('POST', `/experiments/${id}/exposures`, { exposures: users.map(({ name }) => ({ user_id: name, variation_index: arm })) });
        await send('POST', `/experiments/${id}/conversions`, { conversions: users.map(({ name, index }) => ({ user_id: name, metric: 'revenue', value: spent(index) + (index % 7) + 2 * arm, idempotency_key: name })) });
    }
}

test('results: the adjusted effect leads, quantiles have their always-valid interval, and probabilities are those of the API', async () => {
    const id = await create({ primary_metric_name: 'revenue', metric_type: 'continuous', baseline_value: 30, std_dev: 11, mde_pct: 3, robust_metrics: [{ name: 'revenue', statistic: 'quantile', at: 50 }] });
    await runRevenue(id);
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#adjusted-title', 'Adjusted effect');
    const stats = await read(`/experiments/${id}/live-stats`);
    const [{ adjusted, unadjusted, variance_reduction_pct: less }] = stats.adjusted.analysis.comparisons;
    const [[name, adjustedText, , plainText, reduction]] = await cellsOf(page, '#adjusted > .table-scroll');
    const three = ({ effect, ci_lower: lower, ci_upper: upper }) => [effect, lower, upper].map((value) => rounded(value, 2));
    assert.equal(name, 'Variant B');
    assert.deepEqual(numbersIn(adjustedText), three(adjusted));
    assert.deepEqual(numbersIn(plainText), three(unadjusted));
    assert.ok(less > 50);
    assert.deepEqual(numbersIn(reduction), [rounded(less, 1), Math.round(1000 * (1 / (1 - less / 100) - 1)) / 10]);
    assert.equal(numbersIn(await page.locator('.verdict .figure-value').nth(2).textContent())[0], rounded(adjusted.effect, 2));
    const median = stats.metrics.find(({ unit }) => unit === 'quantile').comparisons[0];
    const always = numbersIn(await page.textContent('#scorecard [data-always]'));
    assert.deepEqual(always, [median.always_valid_lower, median.always_valid_upper].map((value) => Number(value.toPrecision(3))));
    await page.click('#show-posteriors');
    await untilText(page, '#posterior-says', /Variant B has the smallest expected loss/);
    const bayes = await read(`/experiments/${id}/posteriors`);
    const rows = await cellsOf(page, '#posteriors .table-scroll');
    assert.equal(bayes.arms.length, 2);
    for (const [index, arm] of bayes.arms.entries()) {
        assert.equal(numbersIn(rows[index][3])[0], Number(arm.mean.toPrecision(4)));
        assert.deepEqual(numbersIn(rows[index][4]), [arm.ci_lower, arm.ci_upper].map((value) => Number(value.toPrecision(4))));
        assert.equal(numbersIn(rows[index][2])[0], Number(arm.expected_loss.toPrecision(2)));
    }
    await page.click('#part-tab-segments');
    await untilText(page, '#why', (await read(`/experiments/${id}/decision`)).reasons[0].text);
    await close(page);
});

test('results: secondary metrics have their adjusted effects, and what stays after the correction is said', async (t) => {
    const id = await create({ primary_metric_name: 'revenue', metric_type: 'continuous', baseline_value: 30, std_dev: 11, mde_pct: 3, secondary_metrics: ['items', '访问'] });
    await runRevenue(id);
    for (const arm of [0, 1])
        for (const [metric, value] of Object.entries({ items: (index) => 1 + (index % 37) + (index % 5) + 3 * arm, 访问: (index) => 1 + (index % 37) + (index % 11) }))
            await send('POST', `/experiments/${id}/conversions`, { conversions: Array.from({ length: 400 }, (_, index) => ({ user_id: `${arm}-${index}`, metric, value: value(index), idempotency_key: `${metric}-${arm}-${index}` })) });
    const { adjusted: { secondary } } = await read(`/experiments/${id}/live-stats`);
    assert.deepEqual(secondary.map(({ metric, claims: [{ is_significant: sure }] }) => [metric, sure]), [['items', true], ['访问', false]]);
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#adjusted-secondary tbody', /Better.*No clear difference/s);
    const rows = await cellsOf(page, '#adjusted-secondary');
    for (const [index, { metric, analysis: { comparisons: [{ adjusted, unadjusted, variance_reduction_pct: less }] } }] of secondary.entries()) {
        const [name, arm, adjustedText, , plainText, reduction] = rows[index];
        const three = ({ effect, ci_lower: lower, ci_upper: upper }) => [effect, lower, upper].map((value) => rounded(value, 2));
        assert.deepEqual([name, arm], [metric, 'Variant B']);
        assert.deepEqual([numbersIn(adjustedText), numbersIn(plainText)], [three(adjusted), three(unadjusted)]);
        assert.deepEqual(numbersIn(reduction), [rounded(less, 1)]);
    }
    await close(page);
    await checkPages(t, (path, options) => open(experiments + path, options), [[`/live/${id}?part=results`, '#adjusted-secondary tbody']]);
});

test('results: how often the statistics err on these users is measured, and stands under the verdict', async () => {
    const id = await create();
    await run(id, [[20, 20], [21, 19]]);
    const page = await open(`${experiments}/live/${id}?part=results`);
    await page.click('#error-rates > summary');
    await page.click('#measure');
    await page.waitForSelector('#error-rates .table-scroll', { timeout: 180000 });
    const { error_rates: measured } = await read(`/experiments/${id}/decision`);
    const [[name, alarms, coverage]] = await cellsOf(page, '#error-rates .table-scroll');
    const [{ false_positives: wrong, coverage: held }] = measured.metrics;
    assert.equal(measured.runs, 1000);
    assert.equal(name, 'purchase');
    assert.equal(numbersIn(alarms)[0], rounded(100 * wrong.rate, 1));
    assert.equal(numbersIn(coverage)[0], rounded(100 * held.rate, 1));
    await untilText(page, '#measure', /Measure again/);
    assert.match(await page.textContent('#error-rates'), /1,000 times/);
    await close(page);
});

test('results: a measurement that somebody else began shows its failure', async () => {
    const id = await create();
    await run(id, [[20, 20], [21, 19]]);
    const page = await open(`${experiments}/live/${id}?part=segments`);
    await page.waitForSelector('#segments');
    const known = await read(`/experiments/${id}/error-rates`);
    await page.route('**/error-rates', (route) => route.fulfill({ json: { ...known, state: 'failed', failure: 'no room on the disk' } }));
    await page.click('#part-tab-results');
    await page.click('#error-rates > summary');
    await untilText(page, '#error-rates [role="status"]', /no room on the disk/);
    await close(page);
});

test('results: several goals show what the rule makes of them', async () => {
    const id = await create({ goals: { further: [{ name: 'returned', metric_type: 'binary' }], requires: 'any', correction: 'holm', reading: 'always_valid' } });
    await run(id, [[20, 20], [40, 40]]);
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#goals p .badge', 'The rule is met');
    const { goals } = await read(`/experiments/${id}/live-stats`);
    const rows = await cellsOf(page, '#goals .table-scroll');
    assert.deepEqual(rows.map(([name]) => name), goals.goals.map(({ name }) => name));
    const [one] = goals.goals[0].comparisons;
    assert.ok(one.is_proven);
    assert.equal(rows[0][7], 'Better');
    assert.deepEqual(numbersIn(rows[0][5]), [one.ci_lower, one.ci_upper].map((end) => rounded(100 * end, 2)));
    assert.deepEqual(rows[1].slice(7), [goals.goals[1].comparisons[0].status === 'ok' ? 'No clear difference' : 'Not enough data']);
    await close(page);
});

test('report: the certificate that the page saves holds for the verifier, with the key that the page names', async () => {
    const id = await create();
    await run(id, [[20, 20], [40, 40]]);
    const page = await open(`${experiments}/live/${id}?part=report`);
    const folder = mkdtempSync(join(tmpdir(), 'assay-certificate-'));
    try {
        const save = async (button, name) => {
            const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
            await file.saveAs(join(folder, name));
        };
        await save('#save-certificate', 'certificate.json');
        await save('#save-key', 'key.json');
        const { fingerprint } = JSON.parse(readFileSync(join(folder, 'key.json'), 'utf8'));
        await untilText(page, '#fingerprint code', fingerprint);
        const checked = spawnSync('python3', [join('clients', 'certificates', 'verify_certificate.py'), join(folder, 'certificate.json'), join(folder, 'key.json')], { encoding: 'utf8' });
        assert.match(checked.stdout, /^holds/, checked.stdout + checked.stderr);
        assert.match(checked.stdout, /ship/);
        assert.match(await page.textContent('#certificate .codeblock'), new RegExp(`/api/v1/experiments/${id}/certificate`));
    } finally {
        rmSync(folder, { recursive: true });
    }
    await close(page);
});

test('plan: a metric gets a cap and a window of its own, and a giant experiment its buckets', async () => {
    const id = await create({ primary_metric_name: 'revenue', metric_type: 'continuous', baseline_value: 30, std_dev: 11, secondary_metrics: ['visits'] });
    const page = await open(`${experiments}/live/${id}?part=plan`);
    await untilText(page, '#buckets-now', /not divided/);
    await page.click('#choose-buckets');
    await page.fill('#buckets-buckets', '999');
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('#buckets-buckets[aria-invalid="true"]');
    await page.fill('#buckets-buckets', '8');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#buckets-now', 'Users are divided over 8 buckets.');
    assert.equal((await read(`/experiments/${id}/buckets`)).buckets, 8);
    await page.click('[data-rule="revenue"]');
    await page.selectOption('#rule-conversion_window', 'after_exposure');
    await page.fill('#rule-conversion_window_days', '7');
    await page.fill('#rule-upper_cap', '-5');
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('#rule-upper_cap[aria-invalid="true"]');
    await page.fill('#rule-upper_cap', '500');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#rules tbody tr', /revenue\s*Up to 7 days after the exposure\s*–\s*500/);
    const { payload } = await read(`/projects/${id}`);
    assert.deepEqual(payload.metrics.metric_rules, [{ name: 'revenue', conversion_window: 'after_exposure', conversion_window_days: 7, lower_cap: null, upper_cap: 500 }]);
    await page.click('[data-rule="revenue"]');
    await page.selectOption('#rule-conversion_window', '');
    await page.fill('#rule-upper_cap', '');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#rules tbody tr', /revenue\s*All\s*–\s*–/);
    assert.deepEqual((await read(`/projects/${id}`)).payload.metrics.metric_rules ?? [], []);
    await send('POST', `/experiments/${id}/exposures`, { exposures: [{ user_id: 'first', variation_index: 0 }] });
    await page.reload();
    await untilText(page, '#buckets .section-note', /Records have come/);
    assert.ok(await page.isDisabled('#choose-buckets'));
    await close(page, [422]);
});

test('axe finds nothing in the tabs, and nothing sticks out', async (t) => {
    const { id } = await send('POST', '/projects', { ...design, setup: { ...design.setup, dimensions: [{ name: 'platform', values: platforms }] } });
    await run(id, [[20, 20], [60, 21]]);
    const revenue = await create({ primary_metric_name: 'revenue', metric_type: 'continuous', baseline_value: 30, std_dev: 11, mde_pct: 3, robust_metrics: [{ name: 'revenue', statistic: 'quantile', at: 50 }] });
    await runRevenue(revenue);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        [`/live/${id}?part=segments`, '#segments-plot svg'],
        [`/live/${id}?part=events`, '#checks'],
        [`/live/${revenue}?part=results`, async (page) => {
            await page.click('#show-posteriors');
            await page.waitForSelector('#posterior-says');
        }],
        [`/live/${id}?part=report`, '#fingerprint'],
        [`/live/${id}?part=plan`, '#buckets-now'],
    ]);
});
