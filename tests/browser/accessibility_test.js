/* axe on every page, with and without problems; nothing sticks out, wide and narrow, left-to-right and right-to-left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    accessibilityFaults,
    answered,
    checkPages,
    close,
    experiments,
    looks,
    open,
    portal,
    takeLook,
} from './browser.js';

const everything =
    'metric_type=continuous&baseline_value=48&std_dev=31&mde_pct=3&variants_count=3&traffic_split=1,1,1&n_looks=4' +
    '&cuped_correlation=0.5&cuped_pre_experiment_std=29&analysis_mode=bayesian&desired_precision=1' +
    '&randomization_unit=cluster&avg_cluster_size=20&icc=0.02&holdout_fraction=0.1&seasonality_present=true';

const pages = [
    [`${portal}/sign-in`, '#sign-in'],
    [`${experiments}/?${everything}`, answered],
    [`${experiments}/results`, answered],
    [`${experiments}/results?analysis=srm`, answered],
    [`${experiments}/results?analysis=times&test=cox`, answered],
    [`${experiments}/results?analysis=always_valid&covariate=true`, answered],
    [`${experiments}/results?analysis=switchback`, answered],
    [`${experiments}/tools`, '.tool-card'],
    [`${experiments}/tools/sensitivity`, answered],
    [`${experiments}/tools/corrections`, answered],
    [`${experiments}/tools/assignment`, answered],
    [`${experiments}/tools/bandit`, answered],
    [`${experiments}/tools/solve`, answered],
    [`${experiments}/tools/sequential`, answered],
    [`${experiments}/tools/hybrid`, answered],
    [`${experiments}/tools/monitor`, answered],
    [`${experiments}/tools/file`, '#layout-title'],
];

test('axe finds nothing on any page, and nothing sticks out', (t) => checkPages(t, open, pages));

for (const colorScheme of ['light', 'dark'])
    test(`the calculator with problems, ${colorScheme}: axe finds nothing`, async () => {
        const page = await open(`${experiments}/?mde_pct=-1&alpha=2&traffic_split=0,x`, {
            colorScheme,
        });
        await page.click('button[type="submit"]');
        await page.waitForSelector('#problems[role="alert"]');
        assert.deepEqual(await accessibilityFaults(page), []);
        await close(page, [422]);
    });

/*
 * Inside the viewers only contrast is ours to answer for, their structure is their own. What they show
 * repeats for every route, so one route stands for all.
 */
const viewers = [
    { path: '/docs', parts: ['.info', '.scheme-container', '#operations-calculations-calculate'] },
    { path: '/redoc', parts: ['.menu-content', '.api-info', '[id="operation/calculate"]'] },
];

/* The viewers make elements for every schema of every route, and axe walks through every element. */
async function describeOneRoute(page) {
    await page.route('**/openapi.json', async (route) => {
        const response = await route.fetch();
        const description = await response.json();
        const path = '/api/v1/calculate';
        await route.fulfill({ response, json: { ...description, paths: { [path]: description.paths[path] } } });
    });
}

const contrast = { runOnly: { type: 'rule', values: ['color-contrast'] } };

for (const { path, parts } of viewers)
    test(`${path}: axe finds nothing around the viewer, and enough contrast in it`, async (t) => {
        const page = await open('about:blank');
        await describeOneRoute(page);
        await page.goto(`${experiments}${path}`);
        for (const look of looks)
            await t.test(look.name, async () => {
                await takeLook(page, look);
                for (const part of parts)
                    await page.waitForSelector(`#viewer ${part}`, { state: 'attached' });
                assert.deepEqual(await accessibilityFaults(page, { exclude: [['#viewer']] }), []);
                const inside = { include: parts.map((part) => [`#viewer ${part}`]) };
                assert.deepEqual(await accessibilityFaults(page, inside, contrast), []);
            });
        await close(page);
    });
