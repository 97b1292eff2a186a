/* The calculator: golden figures, fields and their problems, sharing, keys, failures of the
 * service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, close, experiments, guarded, open, untilText } from './browser.js';

const figures = (page) =>
    page.$$eval('.figure-value', (values) => values.map((value) => value.textContent.trim()));

test('sizes the README example: 4.2 % baseline, 5 % relative effect, 7,200 users a day', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    assert.deepEqual(await figures(page), ['146,642', '293,284', '41 days']);
    assert.equal(
        await page.textContent('#sentence'),
        'To see a change from 4.2% to 4.41% (5% of the baseline) with 80% power at α\u00a0=\u00a05%, each of the 2 variants needs 146,642 users.',
    );
    assert.equal(
        await page.textContent('#announcer'),
        '146,642 users per variant, 293,284 in total, 41 days.',
    );
    assert.equal(await page.isVisible('#warnings'), false);
    await close(page);
});

test('gives the date on which a test started today is done', async () => {
    const page = await open(`${experiments}/`, { timezoneId: 'UTC' });
    await page.clock.setFixedTime(new Date('2026-03-01T12:00:00Z'));
    await page.reload();
    await answered(page);
    assert.equal(
        await page.textContent('#figure-duration-note'),
        '5.9 weeks · started today, done on Apr 11, 2026',
    );
    await close(page);
});

/* Sources: verified sizes of docs/use/statistics.md, checked against scipy by the oracle suite. */
const examples = [
    { preset: 'order_value', sample: '7,276' },
    { preset: 'click_through', sample: '20,345' },
    { preset: 'contacts', sample: '1,469' },
    { preset: 'equivalence', sample: '1,713' },
];

for (const { preset, sample } of examples)
    test(`shows the fields of the example ${preset} and its sample size`, async () => {
        const page = await open(`${experiments}/`);
        await answered(page);
        await page.click(`[data-preset="${preset}"]`);
        if (sample !== null) await untilText(page, '#figure-per-variant', sample);
        assert.equal(await page.getAttribute(`[data-preset="${preset}"]`, 'aria-pressed'), 'true');
        const type = await page.$eval('[name="metric_type"]:checked', (input) => input.value);
        assert.equal(await page.isVisible('#std_dev'), type === 'continuous' || type === 'ratio');
        assert.equal(await page.isVisible('#exposure_per_user'), type === 'count');
        assert.equal(
            await page.isVisible('#planned_test'),
            type === 'binary' || type === 'continuous',
        );
        assert.equal(await page.isVisible('#equivalence_margin_pct'), preset === 'equivalence');
        await close(page);
    });

test('follows while the reader types', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.fill('#baseline_value', '10%');
    await page.fill('#mde_pct', '10');
    await untilText(page, '#figure-per-variant', '14,751');
    assert.equal(await page.textContent('#mde_pct-hint'), '10% → 11%');
    assert.match(page.url(), /baseline_value=0\.1&mde_pct=10&/);
    await close(page);
});

test('a fall can be the goal', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.fill('#baseline_value', '40%');
    await page.fill('#mde_pct', '25');
    await page.check('#direction');
    await page.waitForFunction(() => document.querySelector('#mde_pct-hint').textContent === '40% → 30%');
    await untilText(page, '#sentence', /from 40% to 30%/);
    assert.match(page.url(), /direction=decrease/);
    await page.fill('#mde_pct', '-25');
    await untilText(page, '#sentence', /from 40% to 30%/);
    await page.uncheck('#direction');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.match(await page.textContent('#problems'), /“Minimum detectable effect” must not be 0, and must be positive unless the goal is to decrease/);
    await close(page, [422]);
});

test('shows what the API rejects at its field and in a summary that leads there', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.fill('#mde_pct', 'few');
    await page.fill('#power', 'much');
    await page.fill('#traffic_split-1', '');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'alert');
    assert.equal(await page.textContent('#mde_pct-error'), 'Must be a number.');
    assert.equal(await page.textContent('#power-error'), 'Must be a number.');
    assert.equal(await page.getAttribute('#traffic_split-1', 'aria-invalid'), 'true');
    assert.equal(await page.getAttribute('#traffic_split-0', 'aria-invalid'), null);
    assert.ok(
        (await page.getAttribute('#mde_pct', 'aria-describedby'))
            .split(' ')
            .includes('mde_pct-error'),
    );
    assert.equal(await page.getAttribute('#result-body', 'data-stale'), '');
    assert.deepEqual(await figures(page), ['146,642', '293,284', '41 days']);

    await page.click('#problems a[href="#power"]');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'power');

    await page.fill('#mde_pct', '5');
    await page.fill('#power', '0.9');
    await page.fill('#traffic_split-1', '50');
    await untilText(page, '#figure-per-variant', '196,312');
    assert.equal(await page.locator('[aria-invalid]').count(), 0);
    assert.equal(await page.locator('#problems').count(), 0);
    await close(page, [422]);
});

test('names the field that a rule about several fields is about', async () => {
    const page = await open(`${experiments}/?lang=de`);
    await answered(page);
    await page.fill('#baseline_value', '120%');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.match(await page.textContent('#baseline_value-error'), /„?“?Ausgangsrate/);
    assert.equal(await page.getAttribute('#baseline_value', 'aria-invalid'), 'true');
    await close(page, [422]);
});

test('leaves a field in peace while it is being typed in', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    const rejected = page.waitForResponse((response) => response.status() === 422);
    await page.fill('#alpha', '');
    await rejected;
    await page.waitForSelector('#result-body[data-stale]');
    assert.equal(await page.isVisible('#alpha-error'), false);
    await page.focus('#power');
    await page.waitForSelector('#alpha-error:visible');
    assert.equal(await page.textContent('#alpha-error'), 'A value is needed.');
    await close(page, [422]);
});

test('says why a plan cannot be computed', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.fill('#baseline_value', '0.9');
    await page.fill('#mde_pct', '50');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#notices [role="alert"]');
    assert.match(
        await page.textContent('#notices'),
        /The request is invalid.*0\.9.*400 bad_request · Request [0-9a-f-]{36}/s,
    );
    assert.equal(
        await page.evaluate(() => document.activeElement.closest('#notices') !== null),
        true,
    );
    await close(page, [400]);
});

test('carries a whole design in its link', async () => {
    const design = new URLSearchParams({
        metric_type: 'continuous',
        baseline_value: '48',
        mde_pct: '3',
        std_dev: '31',
        alpha: '0.1',
        power: '0.9',
        expected_daily_traffic: '2400',
        audience_share_in_test: '1',
        variants_count: '3',
        traffic_split: '2,1,1',
        n_looks: '4',
        cuped_correlation: '0.5',
        cuped_pre_experiment_std: '29',
        analysis_mode: 'bayesian',
        desired_precision: '1',
        credibility: '0.9',
        randomization_unit: 'cluster',
        avg_cluster_size: '20',
        icc: '0.02',
        holdout_fraction: '0.1',
        mutually_exclusive_experiments: '2',
        actual_counts: '4000,2010,1990',
        seasonality_present: 'true',
        active_campaigns_present: 'true',
        long_test_possible: 'false',
    });
    const page = await open(`${experiments}/?${design}`);
    await answered(page);
    assert.equal(new URL(page.url()).searchParams.toString(), design.toString());
    const sample = await page.textContent('#figure-per-variant');

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#copy-link');
    await page.waitForSelector('#copy-link[data-done]');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await open(link);
    await answered(other);
    assert.equal(await other.textContent('#figure-per-variant'), sample);
    assert.equal(await other.inputValue('#traffic_split-0'), '2');
    assert.equal(await other.isChecked('#randomization_unit'), true);
    assert.equal(await other.isVisible('#avg_cluster_size'), true);
    assert.equal(await other.isVisible('#sequential-table'), true);
    assert.equal(await other.locator('.companion').count(), 3);
    await close(other);
    await close(page);
});

test('copies the request as a curl command that says the same', async () => {
    const page = await open(`${experiments}/?lang=ru`);
    await answered(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#copy-curl');
    await page.waitForSelector('#copy-curl[data-done]');
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /^curl -sS 'http:\/\/127\.0\.0\.1:\d+\/api\/v1\/calculate' \\\n/);
    assert.match(command, /-H 'Accept-Language: ru'/);
    const body = JSON.parse(/-d '(.*)'$/s.exec(command)[1]);
    const response = await fetch(`${experiments}/api/v1/calculate`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
    });
    assert.equal((await response.json()).results.sample_size_per_variant, 146642);
    await close(page);
});

test('shows sequential boundaries as a chart and as a table', async () => {
    const page = await open(`${experiments}/?n_looks=5`);
    await answered(page);
    const cells = await page.$$eval('#sequential-table tbody tr:last-child > *', (all) =>
        all.map((cell) => cell.textContent),
    );
    assert.deepEqual(cells, ['5', '100%', '150,809', '±2.040', '0.041343', '0.050000']);
    assert.equal(await page.locator('#sequential-table tbody tr').count(), 5);
    assert.equal(await page.locator('#sequential-chart .chart-look').count(), 10);
    assert.match(
        await page.textContent('#sequential-note'),
        /^At most 150,809 users per variant \(1\.028 × .*\), 42 days\.$/,
    );
    assert.match(await page.textContent('#warning-list'), /Caution.*5 looks/s);
    await close(page);
});

test('draws the power curve through the plan, readable by pointer, keys and as a table', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    const slider = page.locator('#power-curve-chart [role="slider"]');
    assert.match(
        await slider.getAttribute('aria-valuetext'),
        /^146,642 users per variant: power 80%, 41 days$/,
    );
    await slider.focus();
    await page.keyboard.press('Home');
    assert.match(
        await slider.getAttribute('aria-valuetext'),
        /^29,328 users per variant: power 24%, 9 days$/,
    );
    assert.equal(await page.textContent('#power-curve-readout b'), '29,328');
    await page.keyboard.press('ArrowRight');
    assert.equal(await slider.getAttribute('aria-valuenow'), '1');
    await page.keyboard.press('End');
    assert.equal(
        await slider.getAttribute('aria-valuenow'),
        await slider.getAttribute('aria-valuemax'),
    );
    const box = await slider.boundingBox();
    await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2);
    assert.notEqual(await page.textContent('#power-curve-readout b'), '146,642');
    await page.mouse.move(5, 5);
    await page.focus('#copy-link');
    assert.equal(await page.textContent('#power-curve-readout b'), '146,642');

    await page.click('#power-curve summary');
    const marked = await page.$eval('#power-curve-table tr[data-marked]', (row) =>
        [...row.cells].map((cell) => cell.textContent),
    );
    assert.deepEqual(marked, ['146,642', '80%', '41']);
    await close(page);
});

async function tabTo(page, selector) {
    for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab');
        const state = await page.evaluate((wanted) => {
            const element = document.activeElement;
            const marked = element.matches('.segment input') ? element.nextElementSibling : element;
            const { outlineStyle, outlineWidth } = getComputedStyle(marked);
            return {
                there: element.matches(wanted),
                seen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
                tag: element.outerHTML.slice(0, 90),
            };
        }, selector);
        assert.ok(state.seen, `no visible focus on ${state.tag}`);
        if (state.there) return;
    }
    assert.fail(`Tab does not reach ${selector}`);
}

test('can be used with the keyboard alone', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await tabTo(page, '.skip-link');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    await tabTo(page, '[name="metric_type"]');
    await page.keyboard.press('ArrowRight');
    await tabTo(page, '#baseline_value');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('100');
    await tabTo(page, '#std_dev');
    await page.keyboard.type('20');
    await tabTo(page, '#expected_daily_traffic');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1000');
    await tabTo(page, 'summary');
    await page.keyboard.press('Enter');
    await tabTo(page, '#n_looks');
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await untilText(page, '#figure-per-variant-note', '252 without interim looks');
    assert.equal(await page.isVisible('#sequential'), true);
    await close(page, [422]); /* whoever types slowly is answered before the deviation is there */
});

test('asks for a token where the API does, and keeps it for the tab only', async () => {
    const page = await open(`${guarded.url}/`);
    await page.waitForSelector('#access-token');
    await page.fill('#access-token', 'not the token');
    await page.keyboard.press('Enter');
    await untilText(page, '#access-token-title', 'The access token was not accepted');
    await page.fill('#access-token', guarded.token);
    await page.keyboard.press('Enter');
    await untilText(page, '#figure-per-variant', '146,642');
    const kept = await page.evaluate(() => ({
        tab: { ...sessionStorage },
        browser: { ...localStorage },
        cookie: document.cookie,
    }));
    assert.deepEqual(kept, { tab: { 'assay.token': guarded.token }, browser: {}, cookie: '' });
    assert.equal(page.url().includes(guarded.token), false);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#copy-curl');
    await page.waitForSelector('#copy-curl[data-done]');
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /Authorization: Bearer \$ASSAY_TOKEN/);
    assert.equal(command.includes(guarded.token), false);

    await page.reload();
    await untilText(page, '#figure-per-variant', '146,642');
    await page.click('#site-footer button');
    await page.waitForSelector('#access-token');
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await close(page, [401]);
});

const failures = [
    {
        name: 'a limit',
        reply: {
            status: 429,
            headers: { 'Retry-After': '12' },
            json: {
                detail: 'Rate limit exceeded',
                error_code: 'rate_limited',
                status_code: 429,
                request_id: 'r-1',
            },
        },
        shows: /Too many requests.*Rate limit exceeded.*Try again in 12 seconds · 429 rate_limited · Request r-1/s,
    },
    {
        name: 'a failure of the service',
        reply: {
            status: 500,
            json: {
                detail: 'Internal server error',
                error_code: 'internal_error',
                status_code: 500,
                request_id: 'r-2',
            },
        },
        shows: /The service failed.*500 internal_error · Request r-2/s,
    },
    {
        name: 'an answer that is no JSON',
        reply: { status: 200, body: '<html>' },
        shows: /unreadable answer/,
    },
];

for (const { name, reply, shows } of failures)
    test(`reports ${name}, and recovers`, async () => {
        const page = await open(`${experiments}/`);
        await answered(page);
        await page.route('**/api/v1/calculate', (route) => route.fulfill(reply), { times: 1 });
        await page.click('button[type="submit"]');
        await untilText(page, '#notices', shows);
        await page.click('#notices button');
        await page.waitForSelector('#notices .notice', { state: 'detached' });
        assert.deepEqual(await figures(page), ['146,642', '293,284', '41 days']);
        await close(page, [reply.status]);
    });

test('hears the button while the first answer is still on its way', async () => {
    const page = await open('about:blank');
    await page.route('**/api/v1/calculate', () => {}, { times: 1 }); /* it never comes */
    await page.goto(`${experiments}/?mde_pct=-1`);
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    await close(page, [422]);
});

test('says when the service cannot be reached', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.route('**/api/v1/calculate', (route) => route.abort('connectionrefused'), {
        times: 1,
    });
    await page.click('button[type="submit"]');
    await untilText(page, '#notices', /cannot be reached/);
    page.faults = page.faults.filter((fault) => !fault.includes('ERR_CONNECTION_REFUSED'));
    await close(page);
});

test('gives a narrow screen the gist at its foot, and the form one column', async () => {
    const page = await open(`${experiments}/`, { viewport: { width: 320, height: 640 } });
    await answered(page);
    assert.equal(await page.isVisible('#result-bar'), true);
    assert.match(await page.textContent('#result-bar'), /146,642.*41 days/);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 320);
    await page.click('button[type="submit"]');
    await page.waitForSelector('#result-bar[data-in-view]', { state: 'attached' });
    assert.equal(await page.isVisible('#result-bar'), false);
    await close(page);
});

/* What strangers stumbled over. */

test('a percent is a percent: 5% in the field of the effect is 5 %', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.fill('#mde_pct', '5%');
    await page.fill('#power', '90%');
    await untilText(page, '#figure-per-variant', '196,312');
    assert.match(page.url(), /mde_pct=5&alpha=0\.05&power=0\.9&/);
    await close(page);
});

test('asks what 4.2 means in a rate, and computes nothing until it is said', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().includes('/calculate'))));
    await page.fill('#baseline_value', '8.4');
    await page.waitForSelector('#notices .notice');
    assert.equal(await page.getAttribute('#result-body', 'data-stale'), '');
    assert.equal(asked, 0);
    await page.click('[data-field="baseline_value"] .field-question button');
    await page.waitForURL(/baseline_value=0\.084/);
    await answered(page);
    assert.equal(await page.inputValue('#baseline_value'), '8.4%');
    await close(page);
});

test('two pasted cells are no number of 1,000,100 users', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.fill('#expected_daily_traffic', '1000 100');
    await page.click('button[type="submit"]');
    await page.waitForSelector('#problems[role="alert"]');
    assert.equal(await page.textContent('#expected_daily_traffic-error'), 'Must be a whole number.');
    await page.fill('#expected_daily_traffic', '12 000');
    await untilText(page, '#figure-per-variant', '146,642');
    await close(page, [422]);
});

test('fades what is out of date at once, the bar of a narrow screen included', async () => {
    const page = await open(`${experiments}/`, { viewport: { width: 900, height: 700 } });
    await answered(page);
    const ink = (selector) => page.$eval(selector, (element) => getComputedStyle(element).color);
    const full = [await ink('#figure-total'), await ink('#result-bar')];
    await page.route('**/api/v1/calculate', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await route.continue();
    });
    await page.fill('#mde_pct', '6');
    await page.waitForSelector('#result-bar[data-stale]');
    assert.notEqual(await ink('#figure-total'), full[0]);
    assert.notEqual(await ink('#result-bar'), full[1]);
    await page.waitForSelector('#result-body:not([data-stale])');
    assert.deepEqual([await ink('#figure-total'), await ink('#result-bar')], full);
    await close(page);
});

test('with interim looks says what is needed at most, in figures, sentence and bar', async () => {
    const page = await open(`${experiments}/?n_looks=6`, { viewport: { width: 900, height: 700 } });
    await answered(page);
    const [users, total, days] = await figures(page);
    assert.deepEqual([users, total, days], ['151,312', '302,624', '43 days']);
    assert.match(await page.textContent('#sentence'), /needs 151,312 users\. With 6 looks/);
    assert.match(await page.textContent('#figure-per-variant-note'), /146,642 without/);
    assert.match(await page.textContent('#result-bar'), /151,312.*43 days/s);
    await close(page);
});

test('with an uneven split counts the users that enter', async () => {
    const page = await open(`${experiments}/?traffic_split=90,10`);
    await answered(page);
    const body = await page.evaluate(async () => {
        const query = { metric_type: 'binary', baseline_value: 0.042, mde_pct: 5, alpha: 0.05, power: 0.8, expected_daily_traffic: 12000, audience_share_in_test: 0.6, variants_count: 2, traffic_split: [90, 10] };
        const answer = await fetch('/api/v1/calculate', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(query) });
        return answer.json();
    });
    const [arms, total, days] = await figures(page);
    const { allocation } = body.results;
    const expected = allocation
        ? (allocation.verified_total_sample_size ?? allocation.total_sample_size)
        : 1466420;
    assert.equal(total, new Intl.NumberFormat('en').format(expected));
    assert.match(arms, /^A [\d,]+\s+B [\d,]+$/);
    const perDay = Number(total.replaceAll(',', '')) / Number.parseInt(days, 10);
    assert.ok(Math.abs(perDay - 7200) < 150, `${perDay} users a day`);
    assert.match(await page.textContent('#figure-total-note'), /even split/);
    const readout = await page.$$eval('#power-curve-readout b', (all) => all.map(({ textContent }) => textContent));
    assert.deepEqual([readout[0], readout[2]], [total, days], 'the chart is about the same plan');
    const warning = await page.textContent('[data-code="UNEQUAL_SPLIT"]');
    assert.ok(warning.includes(`${days}.`) && warning.includes((await page.textContent('#figure-total-note')).match(/[\d.]+%/)[0]), warning);
    await close(page);
});

test('warns of a plan that does not see every weekday', async () => {
    const page = await open(`${experiments}/?mde_pct=20`);
    await answered(page);
    assert.match(await page.textContent('#short-plan'), /A test of 3 days does not show every weekday.*7 days/);
    await page.fill('#mde_pct', '5');
    await page.waitForSelector('#short-plan', { state: 'detached' });
    await close(page);
});

test('says what it understood of a number that can be read in two ways', async () => {
    const page = await open(`${experiments}/?lang=de`);
    await answered(page);
    await page.click('[data-preset="order_value"]');
    await page.fill('#std_dev', '1.234');
    assert.equal(await page.textContent('#std_dev-echo'), '= 1,234');
    await page.fill('#alpha', '0,05');
    assert.match(await page.textContent('#alpha-echo'), /^= 5\s%$/);
    await close(page);
});

test('an example in place of a design can be taken back', async () => {
    const page = await open(`${experiments}/?mde_pct=7`);
    await answered(page);
    await page.click('[data-preset="contacts"]');
    await page.waitForURL(/metric_type=count/);
    await page.click('.toast button:has-text("Undo")');
    await page.waitForURL(/mde_pct=7/);
    assert.equal(await page.inputValue('#mde_pct'), '7%');
    await close(page);
});

test('a 400 that names a field marks it, by its label', async () => {
    const page = await open(`${experiments}/`);
    await answered(page);
    await page.route('**/api/v1/calculate', (route) =>
        route.fulfill({ status: 400, json: { detail: 'std_dev and mde_pct leave no plan', error_code: 'bad_request', status_code: 400, request_id: 'r-3' } }),
    );
    await page.click('button[type="submit"]');
    await page.waitForSelector('#mde_pct[aria-invalid="true"]');
    assert.match(await page.textContent('#mde_pct-error'), /“Minimum detectable effect” leave no plan/);
    await close(page, [400]);
});

test('a link with three weights for two variants says that it was not taken whole', async () => {
    const page = await open(`${experiments}/?variants_count=2&traffic_split=2,1,1`);
    await answered(page);
    assert.match(await page.textContent('#link-cut'), /Traffic split/);
    assert.equal(await page.inputValue('#traffic_split-0'), '50');
    await close(page);
});

test('folds a long table of looks and opens it on demand', async () => {
    const page = await open(`${experiments}/?n_looks=100`);
    await answered(page);
    assert.equal(await page.isVisible('#sequential-table td'), false);
    await page.click('#sequential-table summary');
    assert.equal(await page.locator('#sequential-table tbody tr').count(), 100);
    await close(page);
});

test('keeps what has the focus above the bar of a narrow screen', async () => {
    const page = await open(`${experiments}/`, { viewport: { width: 360, height: 640 } });
    await answered(page);
    for (let presses = 0; presses < 22; presses++) {
        await page.keyboard.press('Tab');
        const hidden = await page.evaluate(() => {
            const box = document.activeElement.getBoundingClientRect();
            const bar = document.querySelector('#result-bar').getBoundingClientRect();
            const inForm = document.activeElement.closest('form') !== null;
            return inForm && bar.height > 0 && box.bottom > bar.top + 1 ? document.activeElement.outerHTML.slice(0, 80) : null;
        });
        assert.equal(hidden, null);
    }
    await close(page);
});

test('shows what is chosen when colours are forced', async () => {
    const page = await open(`${experiments}/`, { forcedColors: 'active' });
    await answered(page);
    const [chosen, other] = await page.$$eval('.segment span', (spans) =>
        spans.slice(0, 2).map((span) => getComputedStyle(span).backgroundColor),
    );
    assert.notEqual(chosen, other);
    await close(page);
});

test('shows whole sentences when its catalogue is lost', async () => {
    const page = await open('about:blank');
    await page.route('**/locales/*', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(`${experiments}/?lang=ru`);
    await answered(page);
    assert.match(await page.textContent('#sentence'), /^To see a change/);
    const keys = await page.evaluate(() => document.body.innerText.match(/\b[a-z]+\.[a-z_]+\b/g));
    assert.equal(keys, null);
    await close(page, [404]);
});
