/* Analyses with a form of their own: what people enter is what the service is asked, and its figures are shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, answered, close, experiments, open, untilText } from './browser.js';

const ask = async (path, body) => {
    const response = await fetch(`${experiments}/api/v1/results/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
};

const fixed = (value) => `${value > 0 ? '+' : ''}${value.toFixed(2)}`.replace('-', '−');
const range = (lower, upper) => `${fixed(lower)} to ${fixed(upper)}`;
const pp = (text) => `${text} pp`;
const rowsOf = (page, card) => page.$$eval(`.card:has(#${card}-title) tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
const figures = async (page) => (await page.$$eval('.verdict .figure-value', (all) => all.map((one) => one.textContent.trim()))).slice(0, 2);

async function fill(page, values) {
    for (const [name, value] of Object.entries(values)) {
        const control = page.locator(`#${name}`);
        const kind = await control.evaluate((element) => (element instanceof HTMLInputElement ? element.type : element.tagName));
        if (kind === 'SELECT') await control.selectOption(value);
        else if (kind === 'checkbox') await control.setChecked(value);
        else await control.fill(value);
    }
}

const arms = (values) => Object.fromEntries(values.map(([arm, names, numbers]) => [arm, Object.fromEntries(names.map((name, index) => [name, numbers[index]]))]));
const ratioNames = ['n', 'numerator_sum', 'denominator_sum', 'numerator_squares', 'denominator_squares', 'products'];
const typed = (prefix, object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [`${prefix}_${name}`, String(value)]));
const sums = arms([['control', ratioNames, [900, 700, 2100, 1300, 6100, 2000]], ['treatment', ratioNames, [910, 790, 2080, 1500, 5900, 2100]]]);
const moments = arms([['control_arm', ['n', 'conversions'], [4000, 400]], ['treatment_arm', ['n', 'conversions'], [4100, 520]]]);

/* What is typed; the question that it means; what must be seen of the answer: figures of the sentence, or rows of a card. */
const cases = {
    sums: {
        typed: { metric_type: 'ratio', ...typed('control', sums.control), ...typed('treatment', sums.treatment) },
        path: 'statistics',
        body: { metric_type: 'ratio', ...sums, alpha: 0.05 },
        figures: async (answer) => [`+${answer.observed_effect.toPrecision(2)}`, null],
    },
    arms: {
        typed: { metric_type: 'mean', arms: 'name;users;mean;std\nبطيء;900;10,5;4\n快;800;11,25;4,5\nC;700;12;5', correction: 'holm' },
        path: 'arms',
        body: { metric_type: 'mean', correction: 'holm', alternative: 'two_sided', variances: 'pooled', alpha: 0.05, arms: [{ label: 'بطيء', users: 900, mean: 10.5, std: 4 }, { label: '快', users: 800, mean: 11.25, std: 4.5 }, { label: 'C', users: 700, mean: 12, std: 5 }] },
        card: 'comparisons',
        rows: (answer) => answer.comparisons.map((one) => [one.label, fixed(one.effect), range(one.ci_lower, one.ci_upper)]),
    },
    adjusted: {
        typed: { arms: ['control 10 4', 'control 12 -', 'control 15 7', 'control 11 5', 'new 14 4', 'new 19 8', 'new 17 6', 'new 15 5'].join('\n'), variance: 'hc3' },
        path: 'adjusted',
        body: { metric_type: 'continuous', variance: 'hc3', alpha: 0.05, arms: [{ values: [10, 12, 15, 11], covariates: [[4, null, 7, 5]] }, { values: [14, 19, 17, 15], covariates: [[4, 8, 6, 5]] }] },
        figures: async ({ comparisons: [{ adjusted: one }] }) => [fixed(one.effect), range(one.ci_lower, one.ci_upper)],
    },
    clusters: {
        typed: { layout: 'clusters', control_arm: 'Lyon 30 330\nOslo 20 210\n東京 40 480', treatment_arm: 'Riga 25 330\nLima 30 400\nSfax 35 490' },
        path: 'cluster',
        body: { metric_type: 'mean', alpha: 0.05, control_arm: { clusters: ['Lyon', 'Oslo', '東京'], users: [30, 20, 40], sums: [330, 210, 480] }, treatment_arm: { clusters: ['Riga', 'Lima', 'Sfax'], users: [25, 30, 35], sums: [330, 400, 490] } },
        figures: async ({ result: one }) => [fixed(one.observed_effect), range(one.ci_lower, one.ci_upper)],
    },
    switchback: {
        typed: { rows: '15 0 5 n\n75 1 9 n\n140 0 4 n\n200 1 8 n\n260 0 6 n\n320 1 7 n\n380 1 9 n\n440 0 5 n\n425 0 50 n', washout: '12' },
        path: 'switchback',
        body: { metric_type: 'mean', slot_length: 60, washout: 12, cluster_by: 'slot', alpha: 0.05, times: [15, 75, 140, 200, 260, 320, 380, 440, 425], arms: [0, 1, 0, 1, 0, 1, 1, 0, 0], sums: [5, 9, 4, 8, 6, 7, 9, 5, 50], units: Array(9).fill('n') },
        figures: async ({ result: one }) => [fixed(one.observed_effect), range(one.ci_lower, one.ci_upper)],
    },
    always_valid: {
        typed: { metric: 'rate', ...typed('control_arm', moments.control_arm), ...typed('treatment_arm', moments.treatment_arm), effect: '0.02' },
        path: 'always-valid',
        body: { metric: 'rate', ...moments, effect: 0.02, alpha: 0.05 },
        figures: async ({ unadjusted: one }) => [pp(fixed(100 * one.effect)), pp(range(100 * one.ci_lower, 100 * one.ci_upper))],
    },
    bayes: {
        typed: { metric_type: 'continuous', arms: 'old 300 10 4\nnew 310 11 4.2', prior: 'given', prior_mean: '10', prior_n: '20', prior_std: '4', prior_degrees: '10' },
        path: 'bayes',
        body: { metric_type: 'continuous', credibility: 0.95, arms: [{ n: 300, mean: 10, std: 4 }, { n: 310, mean: 11, std: 4.2 }], prior: { mean: 10, n: 20, std: 4, degrees: 10 } },
        card: 'posteriors',
        rows: (answer) => answer.arms.map((one, index) => [['old', 'new'][index], String(Number(one.mean.toPrecision(5))), `${Number(one.ci_lower.toPrecision(5))} to ${Number(one.ci_upper.toPrecision(5))}`]),
    },
};

/* The answer to what stands in the form now. */
async function settled(page, path, act) {
    const wanted = page.waitForResponse((response) => response.url().endsWith(`/results/${path}`));
    await act();
    await wanted;
    await answered(page);
}

for (const [kind, { typed: values, path, body, ...expected }] of Object.entries(cases))
    test(`${kind}: the example has an answer, and what is entered has the figures of the service`, async () => {
        const page = await open(`${experiments}/results`);
        await answered(page);
        await page.selectOption('#analysis', kind);
        await page.waitForURL(new RegExp(`analysis=${kind}`));
        await answered(page);
        assert.equal(await page.evaluate(() => document.activeElement.id), 'analysis');
        assert.notEqual((await page.textContent('#verdict')).trim(), '');
        await fill(page, values);
        await settled(page, path, () => page.click('#observed button[type="submit"]'));
        const answer = await ask(path, body);
        if (expected.rows) {
            await page.waitForFunction(([card, text]) => document.querySelector(`.card:has(#${card}-title) tbody`)?.textContent.includes(text), [expected.card, expected.rows(answer)[1][1]]);
            const shown = (await rowsOf(page, expected.card)).map((row) => row.slice(0, 3));
            assert.deepEqual(shown, expected.rows(answer));
        } else {
            const [first, second] = await expected.figures(answer);
            await untilText(page, '.verdict .figure-value', first);
            if (second !== null) assert.equal((await figures(page))[1], second);
        }
        assert.deepEqual(await accessibilityFaults(page), []);
        await page.reload();
        await answered(page);
        assert.equal(await page.inputValue('#analysis'), kind);
        await page.click('#example');
        await answered(page);
        assert.equal(await page.inputValue('#analysis'), kind);
        await close(page);
    });

test('a fault of one line is named at the field, another kind of data starts afresh, and what was typed is still there afterwards', async () => {
    const page = await open(`${experiments}/results?analysis=arms`);
    await answered(page);
    await page.fill('#arms', 'A 900 40\nB 1 0');
    await page.click('#observed button[type="submit"]');
    await page.waitForSelector('#arms-error');
    assert.match(await page.textContent('#arms-error'), /^2 · users: Must be 2 or more\.$/);
    await page.selectOption('#analysis', 'binary');
    await untilText(page, '#verdict', 'The treatment is higher: +3.00 pp');
    await page.fill('#control_users', '2000');
    await page.selectOption('#analysis', 'arms'); /* before the pause after which the form that is left would ask */
    assert.equal(await page.inputValue('#arms'), 'A 900 40\nB 1 0');
    await page.fill('#arms', 'A 900 40\nB 950 70');
    await answered(page);
    await page.selectOption('#analysis', 'binary');
    await answered(page);
    assert.equal(await page.inputValue('#control_users'), '2000');
    await close(page, [422]);
});
