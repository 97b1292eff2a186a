/* Projects: from a template to a plan with reports, by keyboard alone; the list and its address. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { accessibilityFaults, checkPages, close, experiments, open, tabTo, untilText } from './browser.js';

async function send(method, path, body) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

/* A project made of a template of the product. */
async function create(template, name, analysed = false) {
    const { payload } = await send('POST', `/templates/${template}/use`);
    const design = { ...payload, project: { ...payload.project, project_name: name } };
    const { id } = await send('POST', '/projects', design);
    if (analysed) await send('POST', `/projects/${id}/analysis`, await send('POST', '/analyze', design));
    return id;
}

const names = (page) => page.$$eval('.list tbody th [data-name]', (all) => all.map((cell) => cell.textContent.trim()));
const untilRows = (page, wanted) =>
    page.waitForFunction(
        (texts) => {
            const shown = [...document.querySelectorAll('.list .resource:not([data-stale]) tbody th [data-name]')].map((cell) => cell.textContent.trim());
            return JSON.stringify(shown) === JSON.stringify(texts);
        },
        wanted,
    );

test('by keyboard alone: a template becomes a project, is sized, and its report is taken away', async () => {
    const page = await open(`${experiments}/projects`);
    await page.waitForSelector('#from-template');
    await tabTo(page, '#from-template');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog #new-template');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.type('Trial');
    await tabTo(page, '#new-project_name');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#new-project_name[aria-invalid="true"]');
    await tabTo(page, '#new-project_name');
    await page.keyboard.type('Longer trial');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
    await untilText(page, '#name', 'Longer trial');
    await tabTo(page, '#analyse');
    await page.keyboard.press('Enter');
    await untilText(page, '#sizes .figure-value', /^[\d,]+$/);
    const id = page.url().split('/').at(-1);
    assert.equal((await send('GET', `/projects/${id}`)).payload.metrics.metric_type, 'continuous');
    const { analysis_runs: [{ summary }] } = await send('GET', `/projects/${id}/history`);
    assert.equal(await page.locator('#sizes .figure-value').first().textContent(), summary.sample_size_per_variant.toLocaleString('en-US'));

    await tabTo(page, '#part-tab-plan');
    while ((await page.evaluate(() => document.activeElement.id)) !== 'part-tab-report') await page.keyboard.press('ArrowRight');
    await page.waitForSelector('#reports button:enabled');
    await tabTo(page, '#reports button');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    assert.match(file.suggestedFilename(), /\.pdf$/);
    assert.equal((await readFile(await file.path())).subarray(0, 5).toString(), '%PDF-');
    await page.click('#part-tab-history');
    await tabTo(page, '#plan-changes-tab-revisions');
    await page.keyboard.press('End');
    await untilText(page, '#plan-changes tbody td', 'PDF');
    await close(page);
});

test('a name of 160 letters without a blank widens no page', async () => {
    const long = await create('checkout_conversion', 'W'.repeat(160), true);
    const other = await create('checkout_conversion', 'm'.repeat(160), true);
    for (const width of [360, 1440]) {
        for (const path of ['/projects?q=WWWW', `/projects/${long}`, `/projects/compare?ids=${long},${other}`]) {
            const page = await open(`${experiments}${path}`, { viewport: { width, height: 900 } });
            await untilText(page, 'main', /[Wm]{160}/);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.ok(wide <= 0, `${path} is ${wide} px wider than ${width}`);
            await close(page);
        }
    }
    for (const id of [long, other]) await fetch(`${experiments}/api/v1/projects/${id}`, { method: 'DELETE' });
});

test('figures that are older than the design are said to be', async () => {
    const id = await create('checkout_conversion', 'Revised', true);
    const { payload } = await send('GET', `/projects/${id}`);
    await send('PUT', `/projects/${id}`, { ...payload, metrics: { ...payload.metrics, mde_pct: 7.5 } });
    const page = await open(`${experiments}/projects/${id}`);
    await untilText(page, '#plan .notice', /changed since/);
    await page.click('#part-tab-history');
    await page.waitForSelector('#plan-changes tbody tr');
    const sources = await page.$$eval('#plan-changes tbody tr', (rows) => rows.map((row) => [row.cells[1].textContent.trim(), row.cells[2].textContent.trim()]));
    assert.deepEqual(sources[0], ['Edited', '7.5%']);
    await page.click('#part-tab-plan');
    await page.click('#analyse');
    await page.waitForSelector('#plan .notice', { state: 'detached' });
    assert.match(page.url(), /part=plan/);
    await close(page);
});

test('the list is searched, filtered and sorted by its address, and gives back what was put away', async () => {
    const word = `zebra${Date.now().toString(36)}`; /* what other tests have made does not fit */
    const [a, b, c] = ['a', 'b', 'c'].map((end) => `${word} ${end}`);
    await create('latency_impact', b);
    await create('latency_impact', a, true);
    await create('checkout_conversion', c);
    const page = await open(`${experiments}/projects?q=${word}&sort=name`);
    await untilRows(page, [a, b, c]);
    await page.selectOption('#filter-metric_type', 'continuous');
    await untilRows(page, [a, b]);
    assert.equal(new URL(page.url()).searchParams.get('metric_type'), 'continuous');
    await page.click('.table-sort:has-text("Experiment")');
    await untilRows(page, [b, a]);
    await page.click(`[aria-label="Archive: ${b}"]`);
    await untilRows(page, [a]);
    await page.selectOption('#filter-state', 'archived');
    await page.click(`[aria-label="Restore: ${b}"]`);
    await page.waitForSelector('.empty-title');
    await page.goto(`${experiments}/projects?q=${word}&sort=-name`);
    await untilRows(page, [c, b, a]);
    assert.deepEqual(await names(page), [c, b, a]);
    await close(page);
});

test('two that are ticked stand side by side, with what both share and what one has', async () => {
    const word = `side${Date.now().toString(36)}`;
    const one = await create('app_onboarding_drop_off', `${word} a`, true);
    const two = await create('trial_to_paid', `${word} b`, true);
    await create('trial_to_paid', `${word} c`);
    const page = await open(`${experiments}/projects?q=${word}&sort=name`);
    await page.waitForSelector('tbody tr:nth-child(3)');
    assert.ok(await page.isDisabled('tr:nth-child(3) input'));
    await page.check('tr:nth-child(1) input');
    assert.ok(await page.isDisabled('#compare'));
    await page.check('tr:nth-child(2) input');
    await page.click('#compare');
    await page.waitForURL(`**/projects/compare?ids=${one},${two}`);
    await page.waitForSelector('#sizes tbody tr');
    const answer = await send('POST', '/projects/compare', { project_ids: [one, two] });
    const shown = await page.$$eval('#sizes tbody tr', (rows) => rows.map((row) => [row.cells[0], row.cells[2]].map((cell) => cell.textContent.trim())));
    const wanted = answer.projects.map(({ sample_size_per_variant: size }, index) => [`${word} ${'ab'[index]}`, size.toLocaleString('en-US')]);
    assert.deepEqual(shown, wanted);
    const shared = await page.textContent('#shared');
    for (const text of [...answer.shared_warnings, ...answer.shared_risks, ...answer.shared_assumptions]) assert.ok(shared.includes(text), text);
    const own = await page.textContent(`#own-${two}`);
    const { warnings, risks, assumptions } = answer.unique_per_project[two];
    assert.ok(risks.length > 0);
    for (const text of [...warnings, ...risks, ...assumptions]) assert.ok(own.includes(text), text);
    assert.ok(answer.recommendation_highlights.length > 0);
    const recommended = await page.textContent('#recommendations');
    for (const text of answer.recommendation_highlights) assert.ok(recommended.includes(text), text);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#take button:has-text("Markdown")')]);
    const { content } = await send('POST', '/export/comparison', { project_ids: [one, two], format: 'markdown' });
    assert.equal(await readFile(await file.path(), 'utf8'), content);
    await close(page);
});

/* A project whose results were observed. */
async function observed(name) {
    const { payload } = await send('POST', '/templates/checkout_conversion/use');
    const request = { metric_type: 'binary', binary: { control_conversions: 410, control_users: 10000, treatment_conversions: 470, treatment_users: 10020, alpha: 0.05 } };
    const analysis = await send('POST', '/results', request);
    const context = { ...payload.additional_context, observed_results: { request, analysis } };
    const design = { ...payload, project: { ...payload.project, project_name: name }, additional_context: context };
    const { id } = await send('POST', '/projects', design);
    await send('POST', `/projects/${id}/analysis`, await send('POST', '/analyze', design));
    return id;
}

test('what was observed is drawn again when asked for, with the chance of an uplift that matters', async () => {
    const word = `drawn${Date.now().toString(36)}`;
    const [one, two] = [await observed(`${word} a`), await create('trial_to_paid', `${word} b`, true)];
    const page = await open(`${experiments}/projects/compare?ids=${one},${two}`);
    await page.click('#simulate');
    await page.waitForSelector('#simulation tbody tr');
    const { monte_carlo_distribution: sets } = await send('POST', '/projects/compare?include_monte_carlo=true&include_draws=false', { project_ids: [one, two] });
    const percent = (value) => new Intl.NumberFormat('en-US', { style: 'percent', maximumSignificantDigits: 4 }).format(value);
    const { percentiles, probability_uplift_positive: positive, probability_uplift_above_threshold: above } = sets[one];
    const row = (threshold) => [`${word} a`, percentiles['5'], percentiles['50'], percentiles['95'], positive, above[threshold]].map((cell) => (typeof cell === 'number' ? percent(cell) : cell));
    const shown = () => page.$$eval('#simulation table:first-of-type tbody tr', (rows) => [...rows[0].cells].map((cell) => cell.textContent.trim()));
    assert.deepEqual(await shown(), row('0.03'));
    await page.selectOption('#threshold', '10');
    await untilText(page, '#simulation thead', /Above 10%/);
    assert.deepEqual(await shown(), row('0.10'));
    assert.ok(await page.locator('#simulation svg').count(), 'its distribution is drawn');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.goto(`${experiments}/projects/compare?ids=${two},${await create('trial_to_paid', `${word} c`, true)}`);
    await page.click('#simulate');
    await untilText(page, '#simulation', /None of these experiments has observed results/);
    await close(page);
});

test('a design is kept as a template, a project is made of it, and the template is deleted', async () => {
    const word = `own${Date.now().toString(36)}`;
    const id = await observed(`${word} first`);
    const page = await open(`${experiments}/projects/${id}`);
    await page.click('#keep-template');
    await page.fill('#template-name', `${word} template`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#template-description[aria-invalid="true"]');
    await page.fill('#template-description', 'For checkouts');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog', { state: 'detached' });
    const kept = (await send('GET', '/templates')).templates.find(({ name }) => name === `${word} template`);
    assert.deepEqual([kept.built_in, kept.category, kept.payload.additional_context.observed_results], [false, 'Custom', null]);
    await page.goto(`${experiments}/projects`);
    await page.click('#from-template');
    await page.waitForSelector('#new-template');
    assert.equal(await page.locator('#delete-template').count(), 0, 'those of the product stay');
    await page.selectOption('#new-template', kept.id);
    await page.click('#delete-template');
    await page.click('dialog button[data-kind="danger"]:not(#delete-template)');
    await page.waitForFunction((gone) => !document.querySelector(`#new-template option[value="${gone}"]`), kept.id);
    assert.equal((await send('GET', '/templates')).templates.some(({ id: one }) => one === kept.id), false);
    await close(page, [422]);
});

test('an address without projects leads to the list', async () => {
    const page = await open(`${experiments}/projects/compare`);
    await untilText(page, '.empty-title', 'Select experiments to compare');
    await page.click('.empty a');
    await page.waitForURL('**/projects');
    await close(page);
});

test('axe finds nothing, and nothing sticks out', async (t) => {
    const sized = await create('search_ranking_ctr', 'Ranking', true);
    const fresh = await create('pricing_sensitivity', 'Price');
    const other = await create('trial_to_paid', 'Trial', true);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        ['/projects', 'tbody tr'],
        [`/projects/compare?ids=${sized},${other}`, '#sizes tbody tr'],
        [`/projects/${sized}`, '#sizes'],
        [`/projects/${sized}?part=history`, '#plan-changes tbody tr'],
        [`/projects/${sized}?part=report`, '#reports'],
        [`/projects/${fresh}`, '#plan'],
    ]);
});
