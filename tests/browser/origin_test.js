/* Pages below the prefix of their service: links, requests and tokens stay there, and theme and language hold for all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, close, guarded, open, portal } from './browser.js';

const guardedPortal = process.env.ASSAY_GUARDED_PORTAL_URL.replace(/\/$/, '');
const places = [
    ['experiments', '/experiments', process.env.ASSAY_EXPERIMENTS_URL],
    ['support', '/support', process.env.ASSAY_SUPPORT_URL],
    ['orchestrator', '/models', process.env.ASSAY_ORCHESTRATOR_URL],
    ['livedata', '/data', process.env.ASSAY_LIVEDATA_URL],
];

/* The addresses that the links of a page and of its menu lead to within its origin; the top bar leads everywhere. */
function linksOf(page) {
    return page.evaluate(() =>
        [...document.querySelectorAll('main a[href], .site-nav > ul:not(.site-nav-areas) a[href]')]
            .map(({ href }) => new URL(href))
            .filter(({ origin }) => origin === location.origin)
            .map(({ pathname }) => pathname),
    );
}

for (const [service, prefix, port] of places)
    test(`${service}: pages below ${prefix} ask and lead below it, on the port without it`, async () => {
        for (const [base, below] of [[`${portal}${prefix}`, prefix], [port.replace(/\/$/, ''), '']]) {
            const page = await open('about:blank');
            const asked = [];
            page.on('request', (request) => asked.push(new URL(request.url()).pathname));
            await page.goto(`${base}/`);
            await page.waitForLoadState('networkidle');
            const others = asked.filter((path) => !path.startsWith('/static/') || path.endsWith('.html'));
            assert.ok(others.length > 0 && others.every((path) => path.startsWith(`${below}/`)), others.join());
            const links = (await linksOf(page)).filter((path) => path !== '/');
            assert.ok(links.length > 2 && links.every((path) => path.startsWith(`${below}/`)), links.join());
            page.faults = page.faults.filter((fault) => !/status of (401|404)/.test(fault));
            await close(page);
        }
    });

test('the calculator works below the prefix, and its command names the API of the service', async () => {
    const page = await open('about:blank');
    await page.addInitScript((token) => sessionStorage.setItem('assay.experiments.token', token), guarded.token);
    await page.goto(`${guardedPortal}/experiments/`);
    await answered(page);
    assert.equal(await page.textContent('#figure-per-variant'), '146,626');
    const command = await page.evaluate(async () => {
        const { curlCommand } = await import(`${globalThis.assayBase}experiments/calculator/link.js`);
        return curlCommand('/api/v1/calculate', {}, { language: 'en', withToken: false });
    });
    assert.ok(command.includes(`'${guarded.url}/api/v1/calculate'`), command);
    await close(page);
});

test('a token typed for one service is not sent to another', async () => {
    const page = await open(`${portal}/experiments/projects`);
    await page.evaluate(() => sessionStorage.setItem('assay.experiments.token', 'secret-of-experiments'));
    const sent = {};
    page.on('request', (request) => {
        const token = request.headers().authorization;
        if (token) sent[new URL(request.url()).pathname.split('/')[1]] = token;
    });
    await page.goto(`${portal}/experiments/projects`);
    await page.waitForLoadState('networkidle');
    await page.goto(`${portal}/data/`);
    await page.waitForLoadState('networkidle');
    assert.deepEqual(sent, { experiments: 'Bearer secret-of-experiments' });
    page.faults = page.faults.filter((fault) => !/status of 401/.test(fault));
    await close(page);
});

test('the color scheme chosen in one area holds in the others', async () => {
    const page = await open(`${portal}/experiments/`, { colorScheme: 'light' });
    await page.evaluate(() => localStorage.setItem('assay.theme', 'dark'));
    await page.goto(`${portal}/models/`);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    page.faults = page.faults.filter((fault) => !/status of 401/.test(fault)); /* nobody is signed in */
    await close(page);
});
