/* A running experiment: events come in while the page is open, and the verdict follows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessArms, readCsv, readFile, recordOf } from '../../static/experiments/experiment/records.js';
import { snippetOf } from '../../static/experiments/experiment/snippets.js';
import { checkPages, close, experiments, open, untilText } from './browser.js';
import { designOf } from './designs.js';

const design = designOf('Checkout, one day');

async function post(path, body) {
    const response = await fetch(`${experiments}/api/v1${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
    });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const create = async (metrics = {}) => (await post('/projects', { ...design, metrics: { ...design.metrics, ...metrics } })).id;

/* 1000 people in each arm; of each hundred of them, as many convert as the rate of their arm says. */
async function run(id, percents) {
    for (const arm of [0, 1]) {
        const people = Array.from({ length: 1000 }, (_, index) => `${arm}-${index}`);
        await post(`/experiments/${id}/exposures`, { exposures: people.map((user) => ({ user_id: user, variation_index: arm })) });
        const bought = people.filter((_, index) => index % 100 < percents[arm]);
        const conversions = bought.map((user) => ({ user_id: user, metric: 'purchase', value: 1, idempotency_key: user }));
        await post(`/experiments/${id}/conversions`, { conversions });
    }
}

test('waits for events with the way to send them, then shows the verdict, its reasons and what would change it', async () => {
    const id = await create();
    const page = await open(`${experiments}/live/${id}`);
    await untilText(page, '#verdict', 'Not started');
    assert.equal(await page.locator('#ship').count(), 0);
    assert.match(await page.textContent('.codeblock'), new RegExp(`/api/v1/experiments/${id}/exposures`));
    await page.click('#snippet-tab-python');
    assert.match(await page.textContent('.codeblock'), /urllib\.request/);
    await run(id, [20, 40]);
    await untilText(page, '#verdict', 'Ship it');
    assert.equal(await page.getAttribute('.verdict', 'data-tone'), 'good');
    assert.equal(await page.locator('.verdict .figure-value').first().textContent(), '2,000');
    await page.waitForSelector('.codeblock'); /* what is open stays open */
    await page.click('#part-tab-results');
    assert.match(await page.textContent('#changes'), /recommendation would be/);
    await page.waitForFunction(() => document.querySelectorAll('#intervals .interval-bar').length === 2);
    const rows = await page.$$eval('#split tbody tr', (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    assert.deepEqual(rows, [
        ['A (control)', '1,000', '1,000', '200', '20%'],
        ['Variant B', '1,000', '1,000', '400', '40%'],
    ]);
    await close(page);
});

test('metrics that large values cannot sway say what they are', async () => {
    const id = await create({
        robust_metrics: [
            { name: 'spent', statistic: 'capped_mean', at: 50 },
            { name: 'spent', statistic: 'quantile', at: 90, ignore_zeros: true },
        ],
    });
    await run(id, [20, 21]);
    for (const arm of [0, 1]) {
        const conversions = Array.from({ length: 1000 }, (_, index) => ({ user_id: `${arm}-${index}`, metric: 'spent', value: 10 * arm + index / 7 }));
        await post(`/experiments/${id}/conversions`, { conversions });
    }
    const page = await open(`${experiments}/live/${id}`);
    await untilText(page, '#metrics-title', 'Scorecard');
    const names = await page.$$eval('[aria-labelledby="metrics-title"] tbody tr', (all) => all.map((row) => row.cells[0].textContent.replace(/\s+/g, ' ').trim()));
    assert.deepEqual(names, ['purchase Goal', 'spent Secondary · mean of values capped at 50', 'spent Secondary · percentile 90']);
    const german = await open(`${experiments}/live/${id}`, { locale: 'de-DE' });
    await untilText(german, '[aria-labelledby="metrics-title"] tbody tr:last-child', /90\. Perzentil/);
    await close(german);
    await close(page);
});

test('a rate that should fall is better when it has fallen', async () => {
    const id = await create({ baseline_value: 0.4, mde_pct: -20, direction: 'decrease' });
    await run(id, [40, 20]);
    await post(`/experiments/${id}/conversions`, { conversions: [{ user_id: '0-1', metric: 'Purchase', value: 1 }] });
    const page = await open(`${experiments}/live/${id}`);
    await untilText(page, '#verdict', 'Ship it');
    assert.match(await page.textContent('#reasons'), /Variant B is better than control \(-50\.0%/);
    assert.match(await page.textContent('#reasons'), /a decrease by the smallest worthwhile effect, 8.00 percentage points, or more/);
    assert.match(await page.textContent('[aria-labelledby="intervals-title"] .section-note:last-child'), /−8\.00 pp/);
    assert.match(await page.textContent('#warnings'), /1 events came under metric names that the design does not have: Purchase/);
    await close(page);
});

test('asks by ETag, and is told that nothing has changed', async () => {
    const id = await create();
    await run(id, [20, 21]);
    const page = await open('about:blank');
    const statuses = [];
    page.on('response', (response) => response.url().endsWith('/decision') && statuses.push(response.status()));
    await page.goto(`${experiments}/live/${id}`);
    await untilText(page, '#verdict', /./);
    await page.waitForResponse((response) => response.url().endsWith('/decision') && response.status() === 304);
    assert.equal(statuses[0], 200);
    assert.equal(await page.getAttribute('.resource', 'data-stale'), null);
    await close(page);
});

test('a split that did not arrive as planned is said beside the arms', async () => {
    const id = await create();
    const people = (arm, count) => Array.from({ length: count }, (_, index) => ({ user_id: `${arm}-${index}`, variation_index: arm }));
    await post(`/experiments/${id}/exposures`, { exposures: people(0, 600) });
    await post(`/experiments/${id}/exposures`, { exposures: people(1, 400) });
    const page = await open(`${experiments}/live/${id}`);
    await untilText(page, '#split .badge', 'The traffic split is off');
    await untilText(page, '#verdict', 'Don’t trust this result yet');
    assert.equal(await page.getAttribute('.verdict', 'data-tone'), 'danger');
    await close(page);
});

test('the list leads to the experiment; an unknown one is said to be unknown', async () => {
    const word = `led${Date.now().toString(36)}`;
    const id = (await post('/projects', { ...design, project: { ...design.project, project_name: word } })).id;
    const page = await open(`${experiments}/live?q=${word}`); /* among all that other tests have made it may be on a later page */
    await page.click(`a[href="/live/${id}"]`);
    await untilText(page, '#name', word);
    await page.goto(`${experiments}/live/nothing`);
    await untilText(page, '.notice-title', 'Not found');
    await close(page, [404]);
});

test('the list says the state, and so does the page, once somebody has shipped with a note', async () => {
    const word = `ship${Date.now().toString(36)}`;
    const id = (await post('/projects', { ...design, project: { ...design.project, project_name: word } })).id;
    const list = await open(`${experiments}/live?q=${word}`);
    await untilText(list, 'tbody .badge', 'Not started');
    await run(id, [20, 40]);
    await list.reload();
    await untilText(list, 'tbody .badge', 'Ready to decide');
    await untilText(list, 'tbody tr', /2,000 users.*\+100/s);
    await list.click('tbody a[data-name]');
    await list.click('#ship');
    await list.fill('#outcome-note', 'Rolled out to everybody.');
    await list.click('dialog button[type="submit"]');
    await untilText(list, '.notice-title', 'Shipped: Variant B');
    await list.click('#part-tab-history');
    await untilText(list, '#history tbody', /Rolled out to everybody/);
    assert.equal(await list.locator('#ship').count(), 0);
    await list.goto(`${experiments}/projects?q=${word}&state=decided`);
    await untilText(list, 'tbody .badge', 'Decided');
    await list.click('tbody a[data-name]');
    await list.click('#reopen');
    await list.click('dialog button[type="submit"]');
    await list.waitForSelector('#ship');
    await close(list);
});

test('shipping what the data do not recommend says so and asks for the reason', async () => {
    const id = await create();
    await run(id, [20, 21]);
    const page = await open(`${experiments}/live/${id}`);
    await page.click('#ship');
    await untilText(page, '#not-proven', /^Current result: .+ say why/);
    await page.click('dialog button[type="submit"]');
    await untilText(page, 'dialog', /Enter a reason/);
    await page.fill('#outcome-note', 'It is cheaper to run.');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '.notice-title', 'Shipped: Variant B');
    await close(page);
});

test('where everybody has converted, nothing is said about a difference', async () => {
    const id = await create();
    await run(id, [100, 100]);
    const page = await open(`${experiments}/live/${id}`);
    await untilText(page, '#border', /All users converted, in every variant/);
    assert.equal(await page.locator('#intervals').count(), 0);
    assert.doesNotMatch(await page.textContent('.verdict'), /0\.00 to 0\.00|evidence/);
    await close(page);
});

test('events come from a file, with their columns matched and a preview; twice is once', async () => {
    const id = await create();
    const page = await open(`${experiments}/live/${id}`);
    await page.click('#sending-tab-file');
    const csv = (rows) => ({ name: 'events.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\r\n')) });
    const users = Array.from({ length: 40 }, (_, index) => index);
    const exposures = csv(['visitor;group;seen at', ...users.map((user) => `"u;${user}";${user % 2 ? 'treatment' : 'control'};2026-01-0${1 + (user % 3)}T10:00:00Z`)]);
    await page.setInputFiles('#events-file', exposures);
    await page.selectOption('#column-user_id', 'visitor');
    await untilText(page, '#upload tbody tr', /u;0/);
    await page.selectOption('#column-occurred_at', 'seen at');
    assert.ok(await page.isDisabled('#import'), 'nobody has confirmed which value is the control');
    assert.equal(await page.inputValue('#arm-0'), '0');
    await page.check('#control-confirmed');
    await page.click('#import');
    await untilText(page, '#import-result', 'Imported: 40.');
    const conversions = csv(['user_id,event,amount', ...users.slice(0, 10).map((user) => `"u;${user}",order_completed,"1"`)]);
    await page.setInputFiles('#events-file', conversions);
    await untilText(page, '#upload tbody tr', /order_completed/);
    await page.click('#import');
    await untilText(page, '#import-result', 'Imported: 10.');
    await page.click('#import');
    await untilText(page, '#import-result', /Already there: 10/);
    const stats = await (await fetch(`${experiments}/api/v1/experiments/${id}/live-stats`)).json();
    assert.deepEqual([stats.exposures_total, stats.conversions_total, stats.unknown_metrics.events_total], [40, 0, 10]);
    await page.click('[data-take-over="order_completed"]');
    await untilText(page, '.verdict .figures', /Converted\s*10/);
    await page.click('#part-tab-results');
    await page.waitForSelector('#people-per-day svg');
    await close(page);
});

test('an import says what it would do before the press, and what was collected can be deleted', async () => {
    const id = await create();
    const page = await open(`${experiments}/live/${id}`);
    const file = (rows) => ({ name: 'events.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) });
    const users = Array.from({ length: 100 }, (_, index) => index);
    await page.click('#sending-tab-file');
    await page.setInputFiles('#events-file', file(['who,group', ...users.map((user) => `u${user},${user % 2 ? 'new' : 'old'}`), ',new']));
    assert.deepEqual([await page.inputValue('#arm-0'), await page.inputValue('#arm-1')], ['0', '1'], 'old is the control');
    await untilText(page, '#import', 'Import 100 of 101 rows');
    await untilText(page, '#left-out', 'No user: 1');
    await page.check('#control-confirmed');
    await page.click('#import');
    await untilText(page, '#import-result', /Imported: 100\./);
    await untilText(page, '.verdict .figures', /100/);
    await page.setInputFiles('#events-file', file(['who,what', ...users.map((user) => `u${user},visit`), ...users.slice(0, 20).map((user) => `u${user},purchase`)]));
    await untilText(page, '#would-be', '20 of 100 users would convert on “purchase”: 20%. The plan expects 20%.');
    assert.equal(await page.inputValue('#column-metric'), 'what');
    await untilText(page, '#import', 'Import 20 of 120 rows');
    await page.selectOption('#column-metric', '');
    await untilText(page, '#would-be', /100 of 100 users would convert .* 100%. The plan expects 20%/);
    await page.click('#use-column');
    await untilText(page, '#import', 'Import 20 of 120 rows');
    await page.click('#clear');
    await page.fill('#confirm-type', design.project.project_name);
    await page.click('dialog .dialog-actions button[data-kind]:not([data-kind="quiet"])');
    await untilText(page, '#verdict', /Not started/);
    const stats = await (await fetch(`${experiments}/api/v1/experiments/${id}/live-stats`)).json();
    assert.equal(stats.exposures_total, 0);
    await close(page);
});

test('which value is the control is only guessed where one says so', () => {
    const rows = (...values) => values.map((group) => ({ group }));
    assert.deepEqual(guessArms(rows('new', 'old'), 'group', 2), { old: 0, new: 1 });
    assert.deepEqual(guessArms(rows('green', 'blue'), 'group', 2), { green: null, blue: null });
    assert.deepEqual(guessArms(rows('b', 'a', 'c'), 'group', 3), { a: 0, b: 1, c: 2 });
    assert.deepEqual(guessArms(rows('1', '0'), 'group', 2), { 0: 0, 1: 1 });
});

test('files of events are read as they come', () => {
    assert.deepEqual(readCsv('a,b\n"x, ""y""\nz",1\n\n,2\n'), [['a', 'b'], ['x, "y"\nz', '1'], ['', '2']]);
    assert.deepEqual(readFile('{"user_id":"u","value":2}\n\n{"user_id":"v"}').rows, [{ user_id: 'u', value: 2 }, { user_id: 'v' }]);
    assert.throws(() => readFile('a,b\n"x,1'), SyntaxError);
    const columns = { user_id: 'u', metric: '', value: 'v', occurred_at: 'at', idempotency_key: '' };
    assert.deepEqual(recordOf({ u: ' a ', v: '', at: '1700000000' }, { kind: 'conversions', columns, arms: {}, metric: 'm' }, 'k-1'), {
        user_id: 'a', metric: 'm', value: 1, idempotency_key: 'k-1', occurred_at: 1700000000,
    });
    assert.equal(recordOf({ u: '' }, { kind: 'conversions', columns, arms: {}, metric: 'm' }, 'k'), null);
});

test('a snippet holds whatever a metric is called', () => {
    const at = { api: 'http://host', id: 'a b', metric: 'it\'s "x"' };
    assert.match(snippetOf('curl', at), /experiments\/a%20b\/exposures/);
    for (const language of ['curl', 'python', 'javascript']) assert.match(snippetOf(language, at), /it\\u0027s \\"x\\"/);
});

test('axe finds nothing, and nothing sticks out', async (t) => {
    const id = await create();
    await run(id, [20, 24]);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        [`/live/${id}`, '#intervals svg'],
        [`/live/${id}?part=events`, '#send'],
        [`/live/${id}?part=report`, '#result-report'],
        ['/live', 'tbody tr'],
    ]);
});

test('a link made on the page opens the report without signing in, until it is revoked there', async () => {
    const id = await create();
    await run(id, [20, 40]);
    const page = await open(`${experiments}/live/${id}`);
    await page.click('#share');
    await untilText(page, 'dialog', /No active links/);
    await page.fill('#share-days', '3');
    await page.click('dialog button[type="submit"]');
    await untilText(page, 'dialog', /The link is ready/);
    const link = await page.textContent('dialog .key-text');
    const visitor = await open(link);
    await untilText(visitor, 'h2', 'Ship it');
    assert.equal(await visitor.locator('script').count(), 0);
    const [file] = await Promise.all([visitor.waitForEvent('download'), visitor.click('.button a')]);
    assert.match(file.suggestedFilename(), /\.pdf$/);
    await page.click('dialog tbody button');
    await page.click('dialog tbody button[data-kind="danger"]');
    await untilText(page, 'dialog', /No active links/);
    await visitor.reload();
    await untilText(visitor, 'h1', 'This link is no longer valid');
    await close(visitor, [404]);
    await close(page);
});
