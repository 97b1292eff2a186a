/* A file of users: chosen, its columns mapped, analyzed by the service, and the shown figures equal to the API's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, close, experiments, open, untilText } from './browser.js';

const names = ['user', '变体', 'сумма; руб', 'до "теста"', 'orders'];

const amount = (number, digits) => number.toFixed(digits).replace('.', ',');

/* Cells of a user in odd scripts; one has no number as its outcome, one no variant. */
function rowOf(user) {
    const before = 10 + ((user * 7919) % 97) / 10;
    const value = before + (user % 3) * 1.5 + ((user * 104729) % 89) / 40;
    return [`u${user}`, user === 21 ? '' : ['对照', 'النسخة ب', 'C'][user % 3], user === 17 ? 'many' : amount(value, 2), user % 11 === 0 ? '' : amount(before, 1), String(user % 4)];
}

const usersOf = (count) => Array.from({ length: count }, (_, user) => rowOf(user));
const rows = usersOf(300);

/* Semicolons, decimal commas, quotes and a byte order mark. */
function csvFile(users = rows) {
    const head = names.map((name) => `"${name.replaceAll('"', '""')}"`);
    const lines = [head, ...users].map((cells) => cells.join(';'));
    return { name: 'пользователи.csv', mimeType: 'text/csv', buffer: Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`) };
}

async function answerOf(mapping, { name, buffer, mimeType }) {
    const form = new FormData();
    form.append('mapping', JSON.stringify(mapping));
    form.append('file', new File([buffer], name, { type: mimeType }));
    const response = await fetch(`${experiments}/api/v1/results/file`, { method: 'POST', body: form });
    assert.equal(response.status, 200);
    return response.json();
}

async function ask(path, body) {
    const response = await fetch(`${experiments}/api/v1/results/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
}

const plus = (value) => `${value > 0 ? '+' : ''}${value.toFixed(2)}`.replace('-', '−');
const cellsOf = (page, card) => page.$$eval(`.card:has(#${card}-title) tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));

test('a file is mapped, sent and read, and its faults are named', async () => {
    const page = await open(`${experiments}/tools/file`);
    const file = csvFile();
    await page.setInputFiles('#data-file', file);
    await page.waitForSelector('#file-columns');
    assert.deepEqual(await cellsOf(page, 'preview'), rows.slice(0, 5));

    await page.selectOption('#arm', names[1]);
    await page.selectOption('#control', 'C');
    await page.selectOption('#value', names[2]);
    await page.selectOption('#analysis', 'adjusted');
    await page.check('#covariate_3');
    await page.click('summary:has-text("Further tests")');
    await page.check('#further_mann_whitney');
    await page.click('#question button[type="submit"]');
    await untilText(page, '#verdict', '2 of 2 variants differ from the control');

    const mapping = { arm: names[1], control: 'C', value: names[2], covariates: [names[3]], metric_type: 'continuous', analyses: ['mann_whitney'], alpha: 0.05 };
    const answer = await answerOf(mapping, file);
    assert.equal(answer.bad_rows, 2);
    const arms = await cellsOf(page, 'arms');
    assert.deepEqual(arms.map(([name]) => name), ['C (control)', '对照', 'النسخة ب']);
    answer.comparison.comparisons.forEach(({ adjusted }, index) => {
        assert.equal(arms[index + 1][4], plus(adjusted.effect));
        assert.equal(arms[index + 1][5], `${plus(adjusted.ci_lower)} to ${plus(adjusted.ci_upper)}`);
    });
    assert.deepEqual((await cellsOf(page, 'covariates'))[0].slice(1), [String(answer.comparison.covariates[0].users), String(answer.comparison.covariates[0].missing), 'used']);
    const further = await cellsOf(page, 'further');
    assert.deepEqual(further.map(([name]) => name), answer.analyses.map(({ analysis }) => (analysis.metric_type === 'mann_whitney' ? 'Mann–Whitney test of ranks' : "Welch's t-test")));
    assert.deepEqual(await cellsOf(page, 'bad-rows'), [['19', names[2], 'not a number'], ['23', names[1], 'no variant']]);
    assert.match(await page.textContent('.warning-list'), /^\s*Caution\s*2 of 300 rows/);
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.selectOption('#arm', names[0]);
    await page.waitForSelector('#result-body[data-stale]');
    await page.click('#question button[type="submit"]');
    await page.waitForSelector('#arm-error');
    assert.match(await page.textContent('#arm-error'), /two to ten/);
    await close(page, [400]);
});

const sum = (values) => values.reduce((total, value) => total + value, 0);

test('clusters and always-valid figures come from the rows that the browser adds up', async () => {
    const page = await open(`${experiments}/tools/file`);
    const users = usersOf(1800); /* enough for means of the least certain kind */
    await page.setInputFiles('#data-file', csvFile(users));
    await page.waitForSelector('#file-columns');
    await page.selectOption('#arm', names[1]);
    await page.selectOption('#control', 'C');
    await page.selectOption('#value', names[2]);
    await page.selectOption('#analysis', 'always_valid');
    await page.selectOption('#treatment', '对照');
    await page.click('#question button[type="submit"]');
    const usable = users.filter(([, , value]) => value !== 'many').map(([, arm, value, , cluster]) => ({ arm, cluster, value: Number(value.replace(',', '.')) }));
    const of = (arm) => usable.filter((row) => row.arm === arm);
    const moments = (arm) => {
        const values = of(arm).map(({ value }) => value);
        const mean = sum(values) / values.length;
        return { n: values.length, mean, std: Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1)) };
    };
    const always = await ask('always-valid', { metric: 'mean', control_arm: moments('C'), treatment_arm: moments('对照') });
    await untilText(page, '.verdict .figure-value', plus(always.unadjusted.effect));
    await untilText(page, '.verdict .figure-value[data-long]', `${plus(always.unadjusted.ci_lower)} to ${plus(always.unadjusted.ci_upper)}`);

    await page.selectOption('#analysis', 'clustered');
    await page.selectOption('#cluster', names[4]);
    await page.click('#question button[type="submit"]');
    const lists = (arm) => ({ clusters: of(arm).map(({ cluster }) => cluster), sums: of(arm).map(({ value }) => value) });
    const clustered = await ask('cluster', { metric_type: 'mean', control_arm: lists('C'), treatment_arm: lists('对照') });
    await page.waitForSelector('#clusters-title');
    await untilText(page, '.verdict .figure-value[data-long]', `${plus(clustered.result.ci_lower)} to ${plus(clustered.result.ci_upper)}`);
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('the example is analyzed in two clicks, and a file without rows says so', async () => {
    const page = await open(`${experiments}/tools/file`);
    await page.setInputFiles('#data-file', { name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n') });
    await page.waitForSelector('#file-empty');
    await page.click('#example');
    await page.click('#question button[type="submit"]');
    await untilText(page, '#verdict', 'The treatment is higher: +1.29');
    await close(page);
});

test('a long file is a task with progress, and its figures are those of its users', async () => {
    const page = await open(`${experiments}/tools/file`);
    const lines = Array.from({ length: 97 }, (_, user) => `${'AB'[user % 2]},${user % 7},${'x'.repeat(2000)}`);
    const file = { name: 'long.csv', mimeType: 'text/csv', buffer: Buffer.from(`variant,value,note\n${`${lines.join('\n')}\n`.repeat(90)}`) };
    await page.setInputFiles('#data-file', file);
    await page.waitForSelector('#file-columns');
    await page.selectOption('#arm', 'variant');
    await page.selectOption('#value', 'value');
    const [ordered] = await Promise.all([page.waitForResponse((answer) => answer.url().endsWith('/results/file/tasks')), page.click('#question button[type="submit"]')]);
    assert.equal(ordered.status(), 202);
    await page.waitForSelector('#arms-title');
    const answer = await answerOf({ arm: 'variant', value: 'value', metric_type: 'continuous', alpha: 0.05 }, file);
    assert.equal(answer.rows, 90 * 97);
    const [, compared] = await cellsOf(page, 'arms');
    assert.equal(compared[3], plus(answer.comparison.comparisons[0].adjusted.effect));
    await close(page);
});
