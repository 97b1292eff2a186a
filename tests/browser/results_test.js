/* The page of analyses: every kind of data, the test that is suggested, and the check of the split. */
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

/* Figures by scipy 1.10: ttest_ind(equal_var=False), ttest_rel, chi2_contingency(correction=False), kruskal, binomtest. */
const kinds = [
    { kind: 'values', method: /Welch/, p: '0.016', interval: '+0.47 to +4.03' },
    { kind: 'pairs', method: /Paired t-test/, p: '0.002', interval: '+0.88 to +2.62' },
    { kind: 'pair_counts', p: '0.019', interval: '+0.50 to +4.50 pp' },
    { kind: 'table', method: /chi-square/, p: '0.13' },
    { kind: 'groups&test=kruskal_wallis', method: /Kruskal/, p: '0.0053' },
];

for (const { kind, method, p, interval } of kinds)
    test(`analyses ${kind}`, async () => {
        const page = await open(`${experiments}/results?analysis=${kind}`);
        await answered(page);
        const figures = await page.$$eval('.figure', (all) => all.map((one) => [one.querySelector('dt').textContent, one.querySelector('dd').textContent]));
        assert.equal(Object.fromEntries(figures)['p-value'], p);
        assert.equal(Object.fromEntries(figures).Interval, interval);
        assert.equal(await page.locator('#interval-chart svg').count(), interval === undefined ? 0 : 1);
        if (method !== undefined) assert.match(await page.locator('#test option:checked').textContent(), method);
        await close(page);
    });

test('times to an event are drawn, and a ratio of hazards has its interval', async () => {
    const page = await open(`${experiments}/results?analysis=times`);
    await answered(page);
    await page.waitForSelector('#curves-title');
    await page.selectOption('#test', 'cox');
    await page.waitForSelector('#interval-chart svg');
    await untilText(page, '.figure-label', 'Hazard ratio');
    await page.selectOption('#test', 'fleming_harrington');
    await page.fill('#fh_gamma', '1');
    await page.waitForURL(/fh_gamma=1/);
    await answered(page);
    await close(page);
});

test('suggests a test by the data, and says why', async () => {
    const page = await open(`${experiments}/results`);
    const suggestion = (pattern) => untilText(page, '#test option:checked', pattern);
    await answered(page);
    await suggestion('Suggested: Two-proportion z-test');
    await page.fill('#control_users', '20');
    await page.fill('#control_conversions', '1');
    await page.fill('#treatment_users', '20');
    await page.fill('#treatment_conversions', '7');
    await suggestion('Suggested: Boschloo\'s exact test');
    await untilText(page, '#test-hint', /Few users/);
    await page.selectOption('#analysis', 'values');
    await suggestion(/Welch/);
    await page.fill('#control_values', '1 2 3 4 5 6 7 8 9 900');
    await suggestion(/Mann–Whitney/);
    await page.fill('#control_values', '0 1 1 0 1 0 0 1');
    await page.fill('#treatment_values', '1 1 1 0 1 1 0 1');
    await suggestion(/share of ones/);
    await page.selectOption('#test', 'quantile');
    await page.waitForSelector('#quantile');
    await page.waitForURL(/test=quantile/);
    await close(page, [422]);
});

test('a table of values fills both arms, and names the value that is none', async () => {
    const page = await open(`${experiments}/results?analysis=values`);
    await answered(page);
    const file = 'variant;value\ntreatment;7,5\ncontrol;5\ncontrol;6\ntreatment;8\ncontrol;5,5\ntreatment;9\n';
    await page.setInputFiles('input[type="file"]', { name: 'values.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
    await untilText(page, '#control_values-hint', /Read: 3\.$/);
    assert.equal(await page.inputValue('#control_values'), '5\n6\n5,5');
    assert.equal(await page.inputValue('#treatment_values'), '7,5\n8\n9');
    await untilText(page, '#verdict', 'The treatment is higher: +2.67');
    await page.fill('#treatment_values', '7 abc 9');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#treatment_values-error');
    await close(page, [422]);
});

test('three groups in a table become a question about several groups', async () => {
    const page = await open(`${experiments}/results?analysis=values`);
    await answered(page);
    const file = 'variant,value\na,1\nb,2\nc,3\na,1.5\nb,2.5\nc,3.4\na,1.2\nb,2.1\nc,3.9\n';
    await page.setInputFiles('input[type="file"]', { name: 'groups.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
    await untilText(page, '#groups-hint', /Read: 3\.$/);
    assert.equal(await page.inputValue('#groups'), '1 1.5 1.2\n2 2.5 2.1\n3 3.4 3.9');
    await untilText(page, '#verdict', /Groups differ/);
    await close(page);
});

test('a long list is in the link, too', async () => {
    const page = await open(`${experiments}/results?analysis=values`);
    await answered(page);
    const values = Array.from({ length: 900 }, (_, index) => 100 + (index % 37)).join(' ');
    await page.fill('#control_values', values);
    await page.waitForURL(/#.*control_values=100/);
    await answered(page);
    await page.reload();
    await answered(page);
    assert.equal(await page.inputValue('#control_values'), values);
    await close(page);
});

test('equivalence is suggested where a margin is given, which is drawn', async () => {
    const page = await open(`${experiments}/results?analysis=continuous`);
    await answered(page);
    await page.fill('#equivalence_margin', '10');
    await untilText(page, '#test option:checked', /Equivalence/);
    await untilText(page, '#verdict', /[Ee]quivalence within ±10/);
    await page.waitForFunction(() => document.querySelectorAll('#interval-chart .chart-drop').length === 2);
    await close(page);
});

test('the next test is planned from what was seen', async () => {
    const page = await open(`${experiments}/results`);
    await answered(page);
    await page.click('#plan-next');
    await page.waitForURL(/baseline_value=0\.1&mde_pct=30/);
    await answered(page);
    assert.equal(await page.inputValue('#mde_pct'), '30%');
    await close(page);
});
