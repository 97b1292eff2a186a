/* The results page: two-arm tests and the check of the split. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, close, experiments, open, untilText } from './browser.js';

const figure = (page, index) => page.locator('.figure-value').nth(index).textContent();

test('reads two rates: 100 of 1000 against 130 of 1000', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    assert.equal(
        await page.textContent('#verdict'),
        'The treatment is higher: +3.00 pp',
    );
    assert.equal(await page.getAttribute('.verdict', 'data-tone'), 'good');
    assert.deepEqual(
        [await figure(page, 0), await figure(page, 1), await figure(page, 2)],
        ['+3.00 pp', '+0.21 to +5.79 pp', '0.035'],
    );
    const facts = await page.$$eval('.fact dd', (values) =>
        values.map((value) => value.textContent),
    );
    assert.match(facts[3], /^\+[\d.]+% to \+[\d.]+%$/);
    assert.deepEqual(facts.toSpliced(3, 1), ['10%', '13%', '+0.20 to +5.81 pp', '55.7%']);
    assert.match(
        await page.textContent('.verdict-text'),
        /^The 95% interval, \+0\.21 to \+5\.79 pp, excludes zero \(p = 0\.035, below α = 5%\)\.$/,
    );
    assert.equal(await page.locator('#interval-chart svg').count(), 1);
    await close(page);
});

test('a fall can be the goal', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.check('#direction');
    await untilText(page, '#verdict', 'The treatment is higher: +3.00 pp · worse');
    assert.equal(await page.getAttribute('.verdict', 'data-tone'), 'danger');
    assert.match(page.url(), /direction=decrease/);
    await page.fill('#treatment_conversions', '70');
    await untilText(page, '#verdict', 'The treatment is lower: −3.00 pp · better');
    assert.equal(await page.getAttribute('.verdict', 'data-tone'), 'good');
    await close(page);
});

test('does not call a small difference significant', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.fill('#treatment_conversions', '101');
    await untilText(page, '#verdict', 'No significant difference: +0.10 pp');
    assert.equal(await page.getAttribute('.verdict', 'data-tone'), 'plain');
    await close(page);
});

/* Welch's test on summary statistics: scipy.stats.ttest_ind_from_stats(11.5, 2, 10, 10, 2, 10,
 * equal_var=False). */
test('reads two means', async () => {
    const page = await open(
        `${experiments}/results?analysis=continuous&control_n=10&control_mean=10&control_std=2&treatment_n=10&treatment_mean=11.5&treatment_std=2&alpha=0.05`,
    );
    await answered(page);
    assert.equal(await figure(page, 0), '+1.50');
    assert.equal(await figure(page, 2), '0.11');
    assert.equal(await figure(page, 1), '−0.38 to +3.38');
    await close(page);
});

test('flags a split that did not arrive as planned', async () => {
    const page = await open(
        `${experiments}/results?analysis=srm&variants=2&observed_counts=4800,5200&expected_fractions=50,50`,
    );
    await answered(page);
    assert.equal(await page.textContent('#verdict'), 'The traffic split is off');
    assert.match(await page.textContent('.verdict-text'), /^SRM detected/);
    assert.deepEqual([await figure(page, 0), await figure(page, 1)], ['< 0.0001', '16']);
    const row = await page.$eval('tbody tr', (first) =>
        [...first.cells].map((cell) => cell.textContent),
    );
    assert.deepEqual(row, ['A', '4,800', '5,000', '−200', '−4%']);
    await page.fill('#observed_counts-0', '5010');
    await page.fill('#observed_counts-1', '4990');
    await untilText(page, '#verdict', 'The traffic split is as planned');
    assert.match(await page.textContent('.verdict-text'), /^No SRM detected/);
    await close(page);
});

test('shows problems of nested fields at their controls', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.fill('#treatment_users', '1');
    await page.fill('#control_conversions', '');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.equal(await page.textContent('#treatment_users-error'), 'Must be 2 or more.');
    assert.equal(await page.textContent('#control_conversions-error'), 'A value is needed.');
    await close(page, [422]);
});

test('names both fields where one contradicts the other', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.fill('#control_conversions', '2000');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.match(await page.textContent('#control_conversions-error'), /“Conversions”.*“Users”/);
    await close(page, [422]);
});

test('does not move the button away while it is being pressed', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.fill('#control_conversions', '2000');
    await page.waitForSelector('#result-body[data-stale]');
    assert.equal(await page.isVisible('#control_conversions-error'), false);
    const before = await page.locator('button[type="submit"]').boundingBox();
    await page.mouse.move(before.x + 5, before.y + 5);
    await page.mouse.down();
    assert.equal(await page.evaluate(() => document.activeElement.type), 'submit');
    assert.deepEqual(await page.locator('button[type="submit"]').boundingBox(), before);
    await page.mouse.up();
    await page.waitForSelector('#problems[role="alert"]');
    assert.equal(await page.isVisible('#control_conversions-error'), true);
    await close(page, [422]);
});

test('keeps what was entered in its address', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.fill('#control_users', '2000');
    await page.waitForURL(/control_users=2000/);
    await answered(page);
    const effect = await figure(page, 0);
    await page.reload();
    await answered(page);
    assert.equal(await page.inputValue('#control_users'), '2,000');
    assert.equal(await figure(page, 0), effect);
    await close(page);
});

test('puts a verdict together in the language of the reader', async () => {
    const page = await open(`${experiments}/results?lang=de`);
    await answered(page);
    assert.match(await page.textContent('#verdict'), /^Die Variante liegt höher: \+3/);
    assert.doesNotMatch(await page.textContent('.verdict'), /alpha=|0\.0/);
    await close(page);
});

test('a row of a spreadsheet fills both arms', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.focus('#control_users');
    await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text', '2000\t100\t2000\t160');
        document.activeElement.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
    });
    await page.waitForURL(/control_users=2000&control_conversions=100&treatment_users=2000&treatment_conversions=160/);
    await untilText(page, '#verdict', 'The treatment is higher: +3.00 pp');
    await close(page);
});
