/* The design wizard: six steps by keyboard alone, drafts, templates; and the way of a plan from a template to another host. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { answered, checkLook, close, experiments, guarded, inLook, looks, open, tabTo, untilText } from './browser.js';

async function get(path, { url = experiments, token = null } = {}) {
    const response = await fetch(`${url}/api/v1${path}`, { headers: token === null ? {} : { Authorization: `Bearer ${token}` } });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const current = (page, step) => page.waitForSelector(`.wizard-step[aria-current]:has-text("${step}")`);
const idIn = (page) => new URL(page.url()).pathname.split('/').at(-1);

/* Goes on by the button at the foot of a step. */
async function on(page, step) {
    await page.click('.wizard-actions button[data-kind="primary"]');
    await current(page, step);
}

test('by keyboard alone: six steps from a template to a project, sized on the way', async () => {
    const page = await open(`${experiments}/projects`);
    await page.waitForSelector('#from-template');
    await tabTo(page, 'a[href="/design"].button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#template');
    assert.ok(await page.isDisabled('.wizard-actions button[data-kind="primary"]'));
    await tabTo(page, '#template');
    await page.keyboard.type('Trial');
    await tabTo(page, '#plan-project_name');
    await page.keyboard.type('By keys alone');
    const next = '.wizard-actions button[data-kind="primary"]';
    for (const step of ['Hypothesis', 'Metric']) {
        await tabTo(page, next);
        await page.keyboard.press('Enter');
        await current(page, step);
    }
    await answered(page);
    const before = await page.textContent('#figure-per-variant');
    await tabTo(page, '#plan-mde_pct');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('12');
    await page.waitForFunction((earlier) => {
        const body = document.querySelector('#result-body');
        return body.getAttribute('aria-busy') === 'false' && !body.hasAttribute('data-stale') && document.querySelector('#figure-per-variant').textContent !== earlier;
    }, before);
    for (const step of ['Traffic', 'Constraints', 'Review']) {
        await tabTo(page, next);
        await page.keyboard.press('Enter');
        await current(page, step);
    }
    await untilText(page, '#review dd', 'By keys alone');
    await tabTo(page, next);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
    const { payload } = await get(`/projects/${idIn(page)}`);
    const { payload: template } = await get('/templates/trial_to_paid');
    template.project.project_name = 'By keys alone';
    template.metrics.mde_pct = 12;
    assert.deepEqual(payload, template);
    const { usage_count: uses } = await get('/templates/trial_to_paid');
    assert.ok(uses > 0);
    await close(page);
});

test('a draft outlives a reload, a template can be undone, and what the API refuses leads to its step', async () => {
    const page = await open(`${experiments}/design`);
    await page.fill('#plan-project_name', 'Kept');
    await on(page, 'Hypothesis');
    await page.fill('#plan-hypothesis_statement', 'Shorter is better');
    await page.reload();
    assert.equal(await page.inputValue('#plan-hypothesis_statement'), 'Shorter is better');
    await page.goBack();
    await current(page, 'Basics');
    await page.selectOption('#template', 'latency_impact');
    await page.click('.toast button:has-text("Undo")');
    await page.click('.wizard-step:has-text("Hypothesis")');
    assert.equal(await page.inputValue('#plan-hypothesis_statement'), 'Shorter is better');
    await on(page, 'Metric');
    await page.fill('#plan-mde_pct', '-3');
    await page.click('.wizard-step:has-text("Review")');
    await page.click('.wizard-actions button[data-kind="primary"]');
    await current(page, 'Metric');
    await page.waitForSelector('#plan-mde_pct[aria-invalid="true"]');
    await page.fill('#plan-mde_pct', '8');
    await answered(page);
    await page.click('.wizard-step:has-text("Review")');
    await page.click('.wizard-actions button[data-kind="primary"]');
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
    const { payload } = await get(`/projects/${idIn(page)}`);
    assert.deepEqual([payload.hypothesis.hypothesis_statement, payload.metrics.mde_pct, payload.constraints.long_test_possible], ['Shorter is better', 8, true]);
    await page.goto(`${experiments}/design`);
    assert.equal(await page.inputValue('#plan-project_name'), '');
    await close(page, [422]);
});

/* A template through the wizard to a project that is sized. */
async function plan(page, template, name) {
    await page.goto(`${experiments}/design`);
    await page.selectOption('#template', template);
    await page.fill('#plan-project_name', name);
    await page.click('.wizard-step:has-text("Review")');
    await answered(page);
    await page.click('.wizard-actions button[data-kind="primary"]');
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
    await page.click('#analyse');
    await page.waitForSelector('#sizes');
    return idIn(page);
}

test('from a template to a plan, revised, compared, reported on, and taken to another host', async () => {
    const word = `journey${Date.now().toString(36)}`;
    const page = await open(`${experiments}/design`);
    const first = await plan(page, 'checkout_conversion', `${word} a`);
    const second = await plan(page, 'search_ranking_ctr', `${word} b`);

    const size = await page.textContent('#sizes .figure-value');
    await page.click('#revise');
    await page.click('.wizard-step:has-text("Metric")');
    await page.fill('#plan-mde_pct', '6');
    await answered(page);
    await page.click('.wizard-step:has-text("Review")');
    await page.click('.wizard-actions button[data-kind="primary"]');
    await page.waitForURL(`**/projects/${second}`);
    await untilText(page, '.headline .notice', /changed since/);
    await page.click('#analyse');
    await page.waitForFunction((earlier) => document.querySelector('#sizes .figure-value').textContent !== earlier, size);
    await page.click('#part-tab-report');
    const [pdf] = await Promise.all([page.waitForEvent('download'), page.click('#reports button')]);
    assert.equal((await readFile(await pdf.path())).subarray(0, 5).toString(), '%PDF-');

    await page.goto(`${experiments}/projects?q=${word}&sort=name`);
    for (const row of [1, 2]) await page.check(`tr:nth-child(${row}) input`);
    await page.click('#compare');
    await page.waitForURL(`**/projects/compare?ids=${first},${second}`);
    await untilText(page, '#sizes tbody tr:nth-child(2) th', `${word} b`);
    const [compared] = await Promise.all([page.waitForEvent('download'), page.click('#take button')]);
    assert.equal((await readFile(await compared.path())).subarray(0, 5).toString(), '%PDF-');

    await page.goto(`${experiments}/settings?tab=backup`);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#take')]);
    const bundle = await readFile(await file.path());
    await close(page);

    const there = { url: guarded.url, token: guarded.token };
    const found = `/projects?q=${word}&sort_by=name&sort_dir=asc`;
    assert.equal((await get(found, there)).total, 0);
    const other = await open(`${guarded.url}/settings?tab=backup`);
    await other.fill('#access-token', guarded.token);
    await other.keyboard.press('Enter');
    await other.setInputFiles('#backup-file', { name: 'workspace.json', mimeType: 'application/json', buffer: bundle });
    await other.waitForSelector('#checked');
    assert.equal((await get(found, there)).total, 0);
    await other.click('#import');
    await other.waitForSelector('#imported');
    await other.click('#imported a');
    await other.goto(`${guarded.url}/projects?q=${word}&sort=name`);
    await untilText(other, 'tbody tr:nth-child(2) th [data-name]', `${word} b`);
    const { projects } = await get(found, there);
    for (const [index, id] of [first, second].entries()) {
        const [here, moved] = [await get(`/projects/${id}`), await get(`/projects/${projects[index].id}`, there)];
        assert.deepEqual(moved.payload, here.payload);
        assert.deepEqual([moved.revision_count - 1, moved.created_at, moved.updated_at], [here.revision_count, here.created_at, here.updated_at]); /* the import is one */
    }
    await close(other, [401]);
});

test('Enter goes on, the metric has a name, and the review shows what was entered', async () => {
    const page = await open(`${experiments}/design`);
    await page.focus('#plan-project_name');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#plan-project_name[aria-invalid="true"]');
    await page.fill('#plan-project_name', 'By Enter');
    await page.keyboard.press('Enter');
    await current(page, 'Hypothesis');
    await on(page, 'Metric');
    assert.equal(await page.inputValue('#plan-primary_metric_name'), 'conversion');
    await page.fill('#plan-primary_metric_name', '');
    assert.ok(await page.isDisabled('.wizard-actions button[data-kind="primary"]'));
    await page.fill('#plan-primary_metric_name', 'order');
    await answered(page);
    await page.focus('#plan-mde_pct');
    await page.keyboard.press('Enter');
    await current(page, 'Traffic');
    await page.click('.wizard-step:has-text("Review")');
    await untilText(page, '#review', /By Enter.*order.*Power/s);
    await answered(page);
    await page.click('.wizard-actions button[data-kind="primary"]');
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
    await page.waitForSelector('#sizes'); /* sized already */
    await close(page);
});

for (const [name, change] of Object.entries({
    'an even split': [],
    'an uneven split with looks': [
        ['#plan-traffic_split-0', '80'],
        ['#plan-traffic_split-1', '20'],
        ['#plan-n_looks', '4'],
    ],
}))
    test(`the numbers of the review are those of the saved plan: ${name}`, async () => {
        const page = await open(`${experiments}/design`);
        await page.fill('#plan-project_name', name);
        await on(page, 'Hypothesis');
        await on(page, 'Metric');
        await on(page, 'Traffic');
        assert.equal(await page.inputValue('#plan-planned_looks_alpha_spending'), 'hybrid'); /* holds alpha however often one reads */
        assert.equal(await page.locator('#plan-n_looks').count(), 0);
        if (change.length > 0) await page.selectOption('#plan-planned_looks_alpha_spending', '');
        for (const [field, value] of change) await page.fill(field, value);
        await page.click('.wizard-step:has-text("Review")');
        await answered(page);
        if (change.length > 0) await untilText(page, '#figure-per-variant', /^A [\d,]+.*B [\d,]+$/);
        const figures = (selector) => page.$$eval(selector, (all) => all.map(({ textContent }) => textContent.replace(/[\s·]+/g, ' ').trim()));
        const review = await figures('#result-body .figures .figure-value');
        assert.ok(review.length === 3 && review.every((text) => /\d/.test(text)), String(review));
        await page.click('.wizard-actions button[data-kind="primary"]');
        await page.waitForURL(/\/projects\/[0-9a-f-]{36}(\?planned)?$/);
        await page.waitForSelector('#sizes');
        assert.deepEqual(await figures('#sizes .figure-value'), review);
        const { plan } = (await get(`/projects/${idIn(page)}/history`)).analysis_runs[0].analysis.calculations;
        assert.equal(review[1], new Intl.NumberFormat('en').format(plan.total_sample_size));
        await close(page);
    });

test('axe finds nothing in any step, and nothing sticks out', async (t) => {
    for (const look of looks)
        await t.test(look.name, async () => {
            const page = await open(inLook(`${experiments}/design`, look), look.options);
            await page.selectOption('#template', 'checkout_conversion');
            await page.fill('#plan-project_name', 'Checkout');
            for (let step = 1; step <= 6; step++) {
                if (step > 2) await answered(page);
                await checkLook(page, `plan, step ${step}, ${look.name}`, look);
                if (step < 6) await page.click('.wizard-actions button[data-kind="primary"]');
            }
            await close(page);
        });
});
