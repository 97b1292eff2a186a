/* Plans by one open number, and tests with looks: planned, then read; the shown figures are those of the service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, answered, close, experiments, open, untilText } from './browser.js';

async function ask(path, body) {
    const response = await fetch(`${experiments}/api/v1/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
}

const count = (value) => value.toLocaleString('en-US');
const four = (value) => (value === null ? '–' : String(Number(value.toPrecision(4))).replace('-', '−'));
const cellsOf = (page, card) => page.$$eval(`.card:has(#${card}-title) table tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));

test('a plan is solved for users, for the margin of a non-inferiority test, and leads to looks', async () => {
    const page = await open(`${experiments}/tools/solve`);
    await answered(page);
    await page.fill('#variants', '4');
    await page.selectOption('#allocation_as', 'optimal');
    const plan = { test: 'proportions', baseline_value: 0.05, power: 0.8, alpha: 0.05, variants: 4, optimal_allocation: true, daily_traffic: 5000 };
    const sized = await ask('design/solve', { ...plan, solve_for: 'size', alternative: 'two_sided', mde_pct: 10, correction: 'dunnett', power_of: 'each' });
    await untilText(page, '#verdict', `${count(sized.total_users)} users in all`);
    assert.deepEqual((await cellsOf(page, 'arms')).map(([, users]) => users), sized.users_per_variant.map(count));
    assert.ok(sized.users_per_variant[0] > sized.users_per_variant[1]);
    assert.match(await page.textContent('.card:has(#arms-title)'), new RegExp(`An equal split would take\\s*${count(sized.equal_allocation_total)}`));

    await page.selectOption('#solve_for', 'effect');
    await page.selectOption('#alternative', 'non_inferiority');
    await page.fill('#variants', '2');
    await page.selectOption('#allocation_as', 'weights');
    await page.fill('#allocation', '70 30');
    const { optimal_allocation: _, ...two } = { ...plan, variants: 2 };
    const open_ = await ask('design/solve', { ...two, solve_for: 'effect', alternative: 'non_inferiority', total_users: 40000, allocation: [70, 30] });
    await untilText(page, '#verdict', `The smallest margin is ${Math.round(open_.margin_pct * 10) / 10}%`);
    assert.deepEqual((await cellsOf(page, 'arms')).map(([, users]) => users), ['28,000', '12,000']);
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.click('#open-looks');
    await page.waitForURL(/\/tools\/sequential\?users=40000/);
    await answered(page);
    assert.equal(await page.inputValue('#users'), '40,000');
    await close(page);
});

test('a plan that contradicts itself is explained', async () => {
    const page = await open(`${experiments}/tools/solve`);
    await answered(page);
    await page.fill('#baseline_value', '140%');
    await page.click('#question button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.match(await page.textContent('#problems'), /baseline|“?Value of the control/i);
    await close(page, [422]);
});

test('looks are planned, read one after the other, and the test stops with adjusted figures', async () => {
    const page = await open(`${experiments}/tools/sequential`);
    await answered(page);
    await page.fill('#information_fractions', '30% 60% 100%');
    await page.selectOption('#sides', '1');
    await page.selectOption('#futility', 'non_binding');
    await page.selectOption('#beta_spending', 'kim_demets');
    await page.fill('#beta_parameter', '3');
    await page.fill('#users', '10000');
    const plan = { sides: 1, direction: 'increase', alpha: 0.05, power: 0.8, alpha_spending: 'obrien_fleming', futility: 'non_binding', beta_spending: 'kim_demets', beta_parameter: 3, information_fractions: [0.3, 0.6, 1] };
    const design = await ask('sequential/design', plan);
    const users = (share) => count(Math.ceil(10000 * design.inflation_factor * share));
    await untilText(page, '#verdict', `At most ${users(1)} users, ${users(design.expected_information)} on average if the effect is there`);
    const looks = await cellsOf(page, 'looks');
    assert.deepEqual(looks.map((row) => [row[2], row[3], row[5]]), design.looks.map((look) => [users(look.information_fraction), four(look.efficacy_z), four(look.futility_z)]));
    assert.equal(await page.locator('.card:has(#boundaries-title) svg').count() > 0, true);
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.click('#open-monitor');
    await page.waitForURL(/\/tools\/monitor\?.*information_fractions=/);
    await answered(page);
    assert.equal(await page.inputValue('#information_fractions'), '30% 60% 100%');
    await page.selectOption('#statistic', 'estimate');
    await page.fill('#looks', '30% 0.5 0.6');
    const first = { information_fraction: 0.3, estimate: 0.5, standard_error: 0.6 };
    const going = await ask('sequential/monitor', { plan, looks: [first] });
    assert.equal(going.status, 'continue');
    await untilText(page, '#verdict', 'Go on: no boundary is reached at look 1');
    const last = going.looks.at(-1);
    await untilText(page, '.verdict .figure-value[data-long]', `${four(last.repeated_ci_lower)} to ${four(last.repeated_ci_upper)}`);
    const outlook = await page.textContent('.card:has(#outlook-title)');
    assert.ok(outlook.includes(`${Math.round(going.outlook.predictive_power * 1000) / 10}%`), outlook);

    await page.fill('#looks', '30% 0.5 0.6\n62% 1.4 0.4');
    const stopped = await ask('sequential/monitor', { plan, looks: [first, { information_fraction: 0.62, estimate: 1.4, standard_error: 0.4 }] });
    assert.equal(stopped.status, 'efficacy');
    await untilText(page, '#verdict', 'Stop: the effect is shown');
    assert.deepEqual(
        (await page.$$eval('.verdict .figure-value', (all) => all.map((one) => one.textContent.trim()))).slice(0, 2),
        [four(stopped.adjusted.estimate), `${four(stopped.adjusted.ci_lower)} to ${four(stopped.adjusted.ci_upper)}`],
    );
    assert.equal(await page.locator('#outlook-title').count(), 0);
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.fill('#looks', '30% 0.5 -1');
    await page.click('#question button[type="submit"]');
    await page.waitForSelector('#looks-error');
    assert.match(await page.textContent('#looks-error'), /^1 · standard_error: /);
    await close(page, [422]);
});

test('a test read at any time is planned: sizes, boundaries as a curve and a table, and the constant of its end', async () => {
    const page = await open(`${experiments}/tools/hybrid`);
    await answered(page);
    await page.fill('#early_share', '20%');
    await page.fill('#information_fractions', '30% 60%');
    await page.fill('#users', '10000');
    const design = await ask('sequential/hybrid', { alpha: 0.05, power: 0.8, early_share: 0.2, tuned_fraction: 0.5, information_fractions: [0.3, 0.6] });
    const users = (share) => count(Math.ceil(10000 * design.inflation_factor * share));
    await untilText(page, '#verdict', `At most ${users(1)} users, ${users(design.expected_information)} on average if the effect is there`);
    const rows = [...design.boundaries, { information_fraction: 1, z: design.end_z }];
    assert.deepEqual((await cellsOf(page, 'readings')).map((row) => row.slice(1, 3)), rows.map((row) => [users(row.information_fraction), four(row.z)]));
    assert.equal(await page.locator('.card:has(#boundaries-title) svg').count() > 0, true);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.fill('#information_fractions', '30% 100%');
    await page.click('#question button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.match(await page.textContent('#problems'), /above 0 and below 1/);
    await close(page, [422]);
});
