/* axe on every page: both schemes, wide and narrow, left-to-right and right-to-left, with and
 * without problems. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    accessibilityFaults,
    answered,
    checkLook,
    close,
    experiments,
    inLook,
    looks,
    open,
    portal,
    takeLook,
    untilText,
} from './browser.js';

const everything =
    'metric_type=continuous&baseline_value=48&std_dev=31&mde_pct=3&variants_count=3&traffic_split=1,1,1&n_looks=4' +
    '&cuped_correlation=0.5&cuped_pre_experiment_std=29&analysis_mode=bayesian&desired_precision=1' +
    '&randomization_unit=cluster&avg_cluster_size=20&icc=0.02&holdout_fraction=0.1&seasonality_present=true';

const pages = [
    {
        name: 'the landing page',
        url: `${portal}/`,
        ready: (page) => untilText(page, '#checked', /./),
    },
    { name: 'the calculator', url: `${experiments}/?${everything}`, ready: answered },
    { name: 'rates', url: `${experiments}/results`, ready: answered },
    { name: 'the split check', url: `${experiments}/results?analysis=srm`, ready: answered },
];

for (const { name, url, ready } of pages)
    test(`${name}: axe finds nothing, and nothing sticks out`, async (t) => {
        for (const look of looks)
            await t.test(look.name, async () => {
                const page = await open(inLook(url, look), look.options);
                await ready(page);
                await checkLook(page, `${name}, ${look.name}`);
                await close(page);
            });
    });

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

/* Axe walks through every element there is, and Redoc has some for every schema of every route. */
async function leaveOneRoute(page) {
    await page.evaluate(() => {
        for (const route of document.querySelectorAll('#viewer [id^="operation/"]'))
            if (route.id !== 'operation/calculate') route.remove();
        for (const item of [...document.querySelectorAll('#viewer .menu-content li')].slice(20))
            item.remove();
    });
}

const contrast = { runOnly: { type: 'rule', values: ['color-contrast'] } };

for (const { path, parts } of viewers)
    test(`${path}: axe finds nothing around the viewer, and enough contrast in it`, async (t) => {
        const page = await open(`${experiments}${path}`);
        for (const look of looks)
            await t.test(look.name, async () => {
                await takeLook(page, look);
                for (const part of parts)
                    await page.waitForSelector(`#viewer ${part}`, { state: 'attached' });
                await leaveOneRoute(page);
                assert.deepEqual(await accessibilityFaults(page, { exclude: [['#viewer']] }), []);
                const inside = { include: parts.map((part) => [`#viewer ${part}`]) };
                assert.deepEqual(await accessibilityFaults(page, inside, contrast), []);
            });
        await close(page);
    });
