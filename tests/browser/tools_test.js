/* The tools of experiments: each answers, keeps its question in the address, and leads on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, close, experiments, open, untilText } from './browser.js';

const names = ['sensitivity', 'solve', 'sequential', 'hybrid', 'monitor', 'corrections', 'assignment', 'bandit', 'file'];

test('the list leads to every tool, and every tool has an answer', async () => {
    const page = await open(`${experiments}/tools`);
    const paths = await page.$$eval('.tool-card a', (links) => links.map((link) => new URL(link.href).pathname));
    for (const name of names) assert.ok(paths.includes(`/tools/${name}`), name);
    for (const path of paths) {
        await page.goto(experiments + path);
        await answered(page);
    }
    await close(page);
});

test('the grid names the effect that four weeks can show, and opens the calculator', async () => {
    const page = await open(`${experiments}/tools/sensitivity`);
    await answered(page);
    await untilText(page, '#verdict', 'Within four weeks: 10%');
    await page.fill('#daily_traffic', '500');
    await untilText(page, '#verdict', /None of these effects|Within four weeks: 20%|Within four weeks: 15%/);
    await page.waitForURL(/daily_traffic=500/);
    await page.click('.card:has(#grid-users-title) tbody a >> nth=0');
    await page.waitForURL(/mde_pct=2&power=0\.7/);
    await answered(page);
    assert.equal(await page.inputValue('#mde_pct'), '2%');
    assert.equal(await page.inputValue('#power'), '70%');
    await close(page);
});

/* Benjamini-Hochberg: p times the number of tests by its rank. */
test('p-values are adjusted by the method that is chosen', async () => {
    const page = await open(`${experiments}/tools/corrections`);
    await answered(page);
    await untilText(page, '#verdict', '2 of 4 still count');
    const adjusted = () => page.$$eval('tbody tr', (rows) => rows.map((row) => row.cells[2].textContent));
    assert.deepEqual(await adjusted(), ['0.004', '0.024', '0.053', '0.6']);
    await page.fill('#metrics', 'Orders per user\t0.02\n0,03');
    await untilText(page, '#verdict', '2 of 2 still count');
    assert.deepEqual(await page.$$eval('tbody th', (cells) => cells.map((cell) => cell.textContent)), ['Orders per user', 'Metric 2']);
    await page.selectOption('#method', 'holm');
    await untilText(page, '.verdict-text', /even one false discovery/);
    await page.reload();
    await answered(page);
    assert.equal(await page.inputValue('#method'), 'holm');
    assert.deepEqual(await adjusted(), ['0.04', '0.04']);
    await close(page);
});

test('a split is shown before anybody sees it', async () => {
    const page = await open(`${experiments}/tools/assignment?num_variations=3&weights=60+30+10&coverage=0.5`);
    await answered(page);
    await untilText(page, '#verdict', /^(49|50|51)(\.\d)?% of 10,000 users are in the test$/);
    const shares = await page.$$eval('.card:has(#shares-title) tbody tr', (rows) => rows.map((row) => row.cells[0].textContent));
    assert.deepEqual(shares, ['Outside the test', 'A (control)', 'Variant B', 'Variant C']);
    assert.equal(await page.locator('.card:has(#users-title) tbody tr').count(), 20);
    await close(page);
});

test('a bandit is simulated, and a wrong rate is named', async () => {
    const page = await open(`${experiments}/tools/bandit?arm_rates=5%25+15%25&horizon=1000&num_simulations=50`);
    await answered(page);
    await untilText(page, '#verdict', /^B gets \d+(\.\d)?% of 1,000 users$/);
    await page.fill('#arm_rates', '5% 150%');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#arm_rates-error');
    await close(page, [422]);
});

test('an address of no tool says so', async () => {
    const page = await open(`${experiments}/tools/nothing`);
    await untilText(page, '.empty-title', 'There is no such tool');
    await close(page);
});
