/* Pages below the prefix of their service: links, requests and tokens stay there, and theme and language hold for all. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { addressIn, documentOf, headingId } from '../../static/portal/guide/document.js';
import { answered, checkPages, close, guarded, open, openAs, portal, untilText } from './browser.js';

const docs = new URL('../../docs/', import.meta.url);
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
            const page = await openAs(null, '/gallery');
            const asked = [];
            page.on('request', (request) => asked.push(new URL(request.url()).pathname));
            await page.goto(`${base}/`);
            await page.waitForLoadState('networkidle');
            const others = asked.filter((path) => path !== '/accounts/api/session' && (!path.startsWith('/static/') || path.endsWith('.html')));
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
    assert.equal(await page.textContent('#figure-per-variant'), '146,642');
    const command = await page.evaluate(async () => {
        const { curlCommand } = await import(`${globalThis.assayBase}experiments/calculator/link.js`);
        return curlCommand('/api/v1/calculate', {}, { language: 'en', withToken: false });
    });
    assert.ok(command.includes(`'${guarded.url}/api/v1/calculate'`), command);
    await close(page);
});

test('a token typed for one service is not sent to another', async () => {
    const page = await openAs(null, '/experiments/projects');
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
    const page = await openAs(null, '/experiments/', { colorScheme: 'light' });
    await page.evaluate(() => localStorage.setItem('assay.theme', 'dark'));
    await page.goto(`${portal}/models/`);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await close(page);
});

/* The texts of docs/ by the path of their page: 'operate/deploy'. */
function texts() {
    const found = readdirSync(docs, { recursive: true }).filter((file) => String(file).endsWith('.md'));
    return new Map(found.map((file) => [String(file).slice(0, -3), readFileSync(new URL(String(file), docs), 'utf8')]));
}

test('every link of the documentation leads to a text and to a heading that are there', () => {
    const all = texts();
    let count = 0;
    for (const [path, text] of all)
        for (const [, href] of text.replace(/^```[^]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)) {
            const address = addressIn(path, href);
            if (address === null || /^[a-z]+:/.test(address)) continue;
            const [, there, hash] = /^(?:\/docs\/([^#]*))?(?:#(.*))?$/.exec(address);
            const target = all.get(there === undefined ? path : there || 'index');
            assert.ok(target !== undefined, `${path}: ${href}`);
            const ids = [...target.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => headingId(heading));
            assert.ok(hash === undefined || ids.includes(hash), `${path}: ${href}`);
            count++;
        }
    assert.ok(count > 100, String(count));
});

test('comments of scripts are no sections of a text', () => {
    const { title, sections } = documentOf('# `a` and **b**\n\n## One [x](y)\n\n```\n## none\n```\n\n## Two: `c`\n');
    assert.equal(title, 'a and b');
    assert.deepEqual(sections, [{ id: 'one-x', title: 'One x' }, { id: 'two-c', title: 'Two: c' }]);
});

test('the documentation is read in the browser, from help to a heading', async () => {
    const page = await open(`${portal}/gallery`);
    await page.click('#help');
    await page.click('article a[href$="/docs/operate/operations"]');
    await untilText(page, 'h1', 'Operations');
    assert.equal(await page.title(), 'Operations · Assay');
    await page.goto(`${portal}/docs/operate/operations#when-something-dies`);
    await page.waitForFunction(() => {
        const top = document.getElementById('when-something-dies')?.getBoundingClientRect().top;
        return top !== undefined && top >= 0 && top < innerHeight / 2;
    });
    await close(page);
});

test('unknown addresses get a page that leads on', async () => {
    for (const path of ['/nothing', '/support/nothing', '/data/nothing/at/all']) {
        const page = await open(portal + path);
        assert.equal(await page.textContent('h1'), 'Page not found');
        assert.equal(await page.getAttribute('main a[data-kind="primary"]', 'href'), '/');
        await close(page, [404]);
    }
});

test('axe finds nothing on the documentation, and nothing sticks out', (t) =>
    checkPages(t, open, [
        [`${portal}/docs/`, 'article table'],
        [`${portal}/docs/operate/deploy`, 'article table'],
        [`${portal}/docs/use/support`, 'article pre'],
    ]));
