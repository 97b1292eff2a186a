/* What the tab Results shows of planned looks, groups, adaptive shares and posteriors by the design: each figure is that of the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPages, close, experiments, open, untilText } from './browser.js';

async function send(method, path, body) {
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const statsOf = (id) => send('GET', `/experiments/${id}/live-stats`);
const rate = { primary_metric_name: 'purchase', metric_type: 'binary', baseline_value: 0.3, mde_pct: 50, alpha: 0.05, power: 0.8, secondary_metrics: [], guardrail_metrics: [], planned_test: null };

/* A template with `changes` to its blocks, as a project. */
async function create({ setup = {}, metrics = {}, constraints = {} }) {
    const { payload } = await send('GET', '/templates/checkout_conversion');
    const changed = { ...payload, setup: { ...payload.setup, ...setup }, metrics: { ...payload.metrics, ...rate, ...metrics }, constraints: { ...payload.constraints, n_looks: 1, ...constraints } };
    return (await send('POST', '/projects', changed)).id;
}

async function sendAll(id, kind, records) {
    for (let from = 0; from < records.length; from += 1000) await send('POST', `/experiments/${id}/${kind}`, { [kind]: records.slice(from, from + 1000) });
}

/* So many more users of each arm, the first of whom buy; `came` counts who was there. */
async function add(id, came, arms) {
    const users = arms.flatMap(([count, buyers], arm) => Array.from({ length: count }, (_, index) => ({ user_id: `${arm}-${came[arm] + index}`, variation_index: arm, buys: index < buyers })));
    arms.forEach(([count], arm) => (came[arm] += count));
    await sendAll(id, 'exposures', users.map(({ buys: _, ...exposure }) => exposure));
    await sendAll(id, 'conversions', users.filter(({ buys }) => buys).map(({ user_id: user }) => ({ user_id: user, metric: 'purchase', value: 1, idempotency_key: user })));
}

/* What a page writes of a number: signs, separators and units aside. */
const numbersIn = (text) => [...text.replaceAll('\u2212', '-').replaceAll(',', '').matchAll(/[-+]?\d+(?:\.\d+)?(?:e-?\d+)?/g)].map(([number]) => Number(number));
const firstOf = (texts) => texts.map((text) => numbersIn(text)[0]);

/* The last place of a value that is written with so many decimals, or with so many digits. */
const placeOf = (value, { decimals, digits }) => 10 ** (decimals === undefined ? Math.floor(Math.log10(Math.abs(value) || 1)) + 1 - digits : -decimals);

/* What is shown are `values`, rounded. */
function assertShown(shown, values, how) {
    assert.equal(shown.length, values.length, String(shown));
    for (const [index, value] of values.entries()) assert.ok(Math.abs(shown[index] - value) <= 0.501 * placeOf(value, how), `${shown[index]} for ${value}`);
}

const two = { decimals: 2 };
const four = { digits: 4 };
const cellsOf = (page, selector) => page.$$eval(`${selector} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.replace(/\s+/g, ' ').trim())));
const factsOf = (page, selector) => page.$$eval(`${selector} .fact dd`, (all) => all.map((one) => one.textContent.trim()));
const percents = (...values) => values.map((value) => 100 * value);

test('planned looks: what a look now needs, a look by a button, and the adjusted figures after a crossing', async () => {
    const id = await create({ constraints: { planned_looks: { alpha_spending: 'hwang_shih_decani', alpha_parameter: -2, futility: 'non_binding', beta_spending: 'pocock', information_fractions: [0.3, 0.6, 1] } } });
    const came = [0, 0];
    await add(id, came, [[5, 1], [5, 2]]);
    const size = (await statsOf(id)).sequential.planned_sample_size_per_variant;
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#looks-state', /^The next look is at 30%/);
    const part = Math.ceil(0.31 * size);
    await add(id, came, [[part - 5, Math.round(0.3 * part)], [part - 5, Math.round(0.4 * part)]]);
    await untilText(page, '#looks-state', /^The users of the look at 30% are there/);
    const { planned_looks: due, information_fraction: _ } = (await statsOf(id)).sequential;
    const [now] = due.comparisons;
    const [[, verdict, z, boundary, futility, effect, interval]] = await cellsOf(page, '#looks-now');
    assert.equal(verdict, 'No look yet');
    assertShown(firstOf([z, boundary, futility]), [now.z, now.efficacy_z, now.futility_z], four);
    assert.equal(now.ci_upper, null); /* a test of one side */
    assertShown([...numbersIn(effect), ...numbersIn(interval)], percents(now.effect, now.ci_lower), two);
    assert.match(interval, /∞$/);
    await page.click('#take-look');
    await untilText(page, '#looks-state', /^The next look is at 60%/);
    const taken = (await statsOf(id)).sequential.planned_looks;
    assert.equal(taken.looks.length, 1);
    const [[look, share, users]] = await cellsOf(page, '#looks-taken');
    assert.deepEqual([Number(look), numbersIn(users)[0]], [1, taken.looks[0].users]);
    assertShown(firstOf([share]), percents(taken.looks[0].information_fraction), { digits: 3 });
    const { outlook } = taken.comparisons[0].reading;
    assert.equal(await page.locator('#take-look').count(), 0);
    assertShown(firstOf(await factsOf(page, '[data-reading="1"]')), percents(outlook.conditional_power_planned, outlook.conditional_power_observed, outlook.predictive_power), { decimals: 1 });
    await add(id, came, [[part, Math.round(0.3 * part)], [part, Math.round(0.9 * part)]]);
    await page.click('#take-look');
    await untilText(page, '#looks-now .badge', 'Effect shown');
    const [{ reading }] = (await statsOf(id)).sequential.planned_looks.comparisons;
    const { estimate, ci_lower: lower, ci_upper: upper, p_value: p } = reading.adjusted;
    const [shownEstimate, shownInterval, shownP] = await factsOf(page, '[data-reading="1"]');
    assertShown([...numbersIn(shownEstimate), ...numbersIn(shownInterval)], percents(estimate, lower, upper), two);
    if (p < 1e-4) assert.match(shownP, /0\.0001/);
    else assertShown(firstOf([shownP]), [p], { digits: 2 });
    await page.click('[data-reading="1"] summary');
    const rows = await cellsOf(page, '[data-reading="1"] > details > .disclosure-body > .table-scroll');
    assertShown(firstOf(rows.map((row) => row[3])), reading.looks.map(({ efficacy_z: value }) => value), four);
    assert.equal(rows.at(-1).at(-1), 'success');
    await close(page);
});

test('groups: the tests count groups, and those that take turns say what is left out', async () => {
    const start = Date.UTC(2026, 4, 1) / 1000;
    const switchback = { starts_at: '2026-05-01T00:00:00Z', period_minutes: 60, periods: 12, washout_minutes: 10 };
    const id = await create({ setup: { clusters: { unit: 'city', switchback } }, metrics: { primary_metric_name: 'revenue', metric_type: 'continuous', baseline_value: 10, std_dev: 3, secondary_metrics: ['visits'] } });
    const users = [];
    for (const city of ['Oslo', 'Київ', '北京']) {
        const { turns } = await send('GET', `/experiments/${id}/switchback?cluster=${encodeURIComponent(city)}`);
        for (const { period, variation_index: arm } of turns)
            for (let index = 0; index < 6 + (period % 3); index++)
                users.push({ user_id: `${city}-${period}-${index}`, arm, city, at: start + 3600 * period + 450 * index + 120, value: 10 + arm + ((period * 7 + index * 3) % 5) });
    }
    await sendAll(id, 'exposures', [
        ...users.map(({ user_id: user, arm, city, at }) => ({ user_id: user, variation_index: arm, cluster: city, occurred_at: at })),
        { user_id: 'early', variation_index: 0, cluster: 'Oslo', occurred_at: start - 60 },
        { user_id: 'alone', variation_index: 0, occurred_at: start + 60 },
    ]);
    await sendAll(id, 'conversions', users.map(({ user_id: user, value, at }) => ({ user_id: user, metric: 'revenue', value, occurred_at: at + 1, idempotency_key: user })));
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#groups-title', 'Results by groups: city');
    const { clusters: groups } = await statsOf(id);
    assert.deepEqual(firstOf(await factsOf(page, '#groups-facts')), [groups.clusters, groups.users, groups.users_without_cluster, groups.users_of_two_clusters, groups.clusters_of_two_arms]);
    assert.equal(groups.users_without_cluster, 1);
    const arms = await cellsOf(page, '#groups-arms');
    for (const [index, arm] of groups.arms.entries()) assertShown(firstOf(arms[index].slice(1)), [arm.clusters, arm.users, arm.smallest, arm.average, arm.largest, arm.size_cv], { digits: 3 });
    const tests = await cellsOf(page, '#groups-tests');
    assert.deepEqual(tests.map(([metric]) => metric.split(' ')[0]), groups.tests.map(({ metric }) => metric));
    const [{ effect, ci_lower: lower, ci_upper: upper, evidence }] = groups.tests;
    const [, , shownEffect, shownInterval, , error, degrees, icc, design] = tests[0];
    assertShown([...numbersIn(shownEffect), ...numbersIn(shownInterval)], [effect, lower, upper], two);
    assertShown(firstOf([error, degrees, icc, design]), [evidence.standard_error, evidence.degrees_of_freedom, evidence.icc, evidence.design_effect], { digits: 3 });
    const turns = groups.switchback;
    assert.deepEqual(firstOf(await factsOf(page, '#turns')), [turns.slots, turns.switches, turns.users_washed_out, turns.users_outside, turns.users_off_schedule]);
    assert.ok(turns.users_washed_out > 0 && turns.users_outside === 1);
    const [{ effect: carried }] = turns.carry_over;
    const text = await page.textContent('#turns li');
    assert.match(text, carried.is_significant ? /leave out more/ : /seems long enough/);
    assertShown(numbersIn(text).slice(0, 2), [carried.ci_lower, carried.ci_upper], two);
    assert.equal(await page.locator('#posteriors').count(), 0);
    await close(page);
});

test('adaptive shares: the shares of now, and effects weighted by those that users met', async () => {
    const id = await create({});
    await send('PUT', `/experiments/${id}/adaptive`, { floor: 0.1, update_minutes: 60 });
    const arms = new Map();
    for (let index = 0; index < 400; index++) arms.set(`user-${index}`, await send('POST', `/experiments/${id}/assign`, { user_id: `user-${index}` }));
    const users = [...arms];
    await sendAll(id, 'exposures', [
        ...users.map(([user, { variation_index: arm, assignment_round: round }]) => ({ user_id: user, variation_index: arm, dimensions: [{ name: 'assignment_round', value: String(round) }] })),
        { user_id: 'before', variation_index: 0 },
    ]);
    await sendAll(id, 'conversions', users.filter(([, { variation_index: arm }], index) => index % (arm === 1 ? 2 : 5) === 0).map(([user]) => ({ user_id: user, metric: 'purchase', value: 1, idempotency_key: user })));
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#shares .badge', 'Round 1');
    const { adaptive: shares } = await statsOf(id);
    const rows = await cellsOf(page, '#shares-arms');
    for (const [index, arm] of shares.arms.entries()) assertShown(firstOf(rows[index].slice(1)), [100 * arm.share, arm.exposed_users, 100 * arm.exposed_share, 100 * arm.mean], { decimals: 1 });
    const [one] = shares.comparisons;
    assert.equal(one.status, 'ok');
    const [[, effect, interval, , meaning]] = await cellsOf(page, '#shares-effects');
    assertShown([...numbersIn(effect), ...numbersIn(interval)], percents(one.effect, one.ci_sequence_lower, one.ci_sequence_upper), two);
    assert.equal(meaning, one.is_significant ? 'Better' : 'No clear difference');
    assert.equal(shares.users_without_round, 1);
    assert.match(await page.textContent('#shares'), /in no comparison: 1/);
    await close(page);
});

test('posteriors by the settings of the design stand there without a press, with the measured error rates of the rule', async () => {
    const id = await create({ metrics: { bayes: { prior: { a: 31, b: 71 }, credibility: 0.9, loss_threshold: 0.004 } } });
    const page = await open(`${experiments}/live/${id}?part=results`);
    page.setDefaultTimeout(60000); /* the error rates are simulated */
    await add(id, [0, 0], [[300, 90], [300, 120]]);
    await untilText(page, '#posterior-says', /Variant B has the smallest expected loss/);
    const { analysis: bayes } = (await statsOf(id)).bayes;
    const rows = await cellsOf(page, '#posteriors > .table-scroll');
    for (const [index, arm] of bayes.arms.entries()) {
        assertShown(firstOf([rows[index][3]]), percents(arm.mean), { decimals: 1 });
        assertShown(numbersIn(rows[index][4]), percents(arm.ci_lower, arm.ci_upper), { decimals: 1 });
        assertShown(firstOf([rows[index][2]]), percents(arm.expected_loss), { digits: 2 });
    }
    assert.match(await page.textContent('#posteriors thead'), /90%/);
    assert.match(await page.textContent('#posterior-prior'), /worth 102 users/);
    assert.match(await page.textContent('#posterior-says'), bayes.stopping.stop ? /you may stop/ : /go on/);
    await page.click('#posteriors summary');
    const measured = await cellsOf(page, '#posteriors details');
    assertShown(firstOf(measured.map((row) => row[1])), percents(...bayes.stopping.measured.map(({ chose_treatment: chosen }) => chosen.rate)), { decimals: 1 });
    await close(page);
});

test('readings at any time: too few users, the boundary of now, and the one test at the end by a button', async () => {
    const id = await create({ metrics: { mde_pct: 35 }, constraints: { hybrid: { early_share: 0.5 } } });
    const came = [0, 0];
    await add(id, came, [[5, 1], [5, 2]]);
    const size = (await statsOf(id)).sequential.planned_sample_size_per_variant;
    const page = await open(`${experiments}/live/${id}?part=results`);
    await untilText(page, '#hybrid-now', /Too few users yet/);
    const half = Math.ceil(size / 2);
    await add(id, came, [[half - 5, Math.round(0.3 * half)], [half - 5, Math.round(0.36 * half)]]);
    await untilText(page, '#hybrid-now', /Go on/);
    const [now] = (await statsOf(id)).sequential.hybrid.comparisons;
    const [[, , z, boundary, effect, interval]] = await cellsOf(page, '#hybrid-now');
    assertShown(firstOf([z, boundary]), [now.z, now.boundary_z], four);
    assertShown([...numbersIn(effect), ...numbersIn(interval)], percents(now.effect, now.ci_lower, now.ci_upper), two);
    await untilText(page, '.verdict .figures', /for all readings together/); /* the page leads with this interval */
    await add(id, came, [[half, Math.round(0.3 * half)], [half, Math.round(0.36 * half)]]);
    await untilText(page, '#hybrid-state', /^The planned users are there/);
    await page.click('#take-end');
    await untilText(page, '#hybrid-state', /^The test at the end was taken/);
    const { end_z: end, end: taken } = (await statsOf(id)).sequential.hybrid;
    assert.equal(taken.users, came[0] + came[1]);
    assertShown(firstOf([(await cellsOf(page, '#hybrid-now'))[0][3]]), [end], four);
    assert.equal(await page.locator('#take-end').count(), 0);
    await close(page);
});

test('axe finds nothing in these parts, and nothing sticks out', async (t) => {
    const looks = await create({ constraints: { planned_looks: { alpha_spending: 'obrien_fleming', futility: 'binding', beta_spending: 'obrien_fleming', information_fractions: [0.01, 0.5, 1] } } });
    await add(looks, [0, 0], [[60, 18], [60, 30]]);
    await send('POST', `/experiments/${looks}/looks`, {});
    await add(looks, [60, 60], [[60, 18], [60, 30]]);
    const switchback = { starts_at: '2026-05-01T00:00:00Z', period_minutes: 60, periods: 4, washout_minutes: 10 };
    const groups = await create({ setup: { clusters: { unit: 'city', switchback } } });
    const exposures = ['Oslo', 'Київ', '北京'].flatMap((city, at) => Array.from({ length: 24 }, (_, index) => ({ user_id: `${city}${index}`, variation_index: (at + (index % 4)) % 2, cluster: city, occurred_at: Date.UTC(2026, 4, 1) / 1000 + 3600 * (index % 4) + 900 + index })));
    await sendAll(groups, 'exposures', exposures);
    await sendAll(groups, 'conversions', exposures.filter((_, index) => index % 7 < 3).map(({ user_id: user, occurred_at: at }) => ({ user_id: user, metric: 'purchase', value: 1, occurred_at: at + 1 })));
    const shares = await create({});
    await send('PUT', `/experiments/${shares}/adaptive`, { floor: 0.1, update_minutes: 60 });
    await add(shares, [0, 0], [[20, 5], [20, 9]]);
    const hybrid = await create({ constraints: { hybrid: { early_share: 0.5 } } });
    await add(hybrid, [0, 0], [[120, 36], [120, 60]]);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        [`/live/${looks}?part=results`, '#looks-taken'],
        [`/live/${hybrid}?part=results`, '#hybrid-now'],
        [`/live/${groups}?part=results`, '#turns'],
        [`/live/${shares}?part=results`, '#shares-arms'],
    ]);
});
