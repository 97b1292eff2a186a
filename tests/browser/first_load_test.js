/* The first visit of every page by someone who is signed in, with nothing in the cache: few requests, and nothing moves while it is filled. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { open, portal } from './browser.js';

const most = 15; /* requests, the page itself included */
const shiftMax = 0.05; /* the layout shift score of Web Vitals; .1 counts as good there */
const pauseMs = 700; /* after `load`: what the page asks for then still counts */
const lists = JSON.parse(readFileSync(new URL('../../static/pages.json', import.meta.url), 'utf8'));
const widths = [{ width: 1440, height: 900 }, { width: 360, height: 780 }];
const prefixes = { portal: '', experiments: '/experiments', support: '/support', orchestrator: '/models', livedata: '/data' };

let cookies = []; /* of the sign-in */

before(async () => {
    const response = await fetch(`${portal}/accounts/api/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: portal },
        body: JSON.stringify({ username: 'admin', password: 'admin' }),
    });
    assert.equal(response.status, 200);
    cookies = response.headers.getSetCookie().map((line) => {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
        return { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' };
    });
});

/** {requests, shift, moved}: what the first visit of `url` asks for, and how far its parts moved. */
async function firstLoad(url, viewport) {
    const page = await open('about:blank', { viewport, storageState: { cookies, origins: [] } });
    const requests = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.addInitScript(() => {
        globalThis.shifts = [];
        new PerformanceObserver((list) => {
            for (const entry of /** @type {any[]} */ (list.getEntries()))
                globalThis.shifts.push({ value: entry.value, nodes: entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName) });
        }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForTimeout(pauseMs);
    const shifts = await page.evaluate(() => globalThis.shifts);
    await page.context().close();
    const shift = shifts.reduce((sum, { value }) => sum + value, 0);
    return { requests, shift, moved: shifts.flatMap(({ nodes }) => nodes).join() };
}

for (const [service, pages] of Object.entries(lists))
    for (const { page, path } of pages.filter(({ page: name, instead }) => name && !instead))
        test(`${service} ${path}`, async () => {
            for (const viewport of widths) {
                const { requests, shift, moved } = await firstLoad(portal + prefixes[service] + path.replace(/\{\w+\}/g, 'nothing'), viewport);
                if (process.env.MEASURE) console.log(`${service} ${page} ${viewport.width}: ${requests.length} requests, shift ${shift.toFixed(3)} ${moved}`);
                assert.ok(requests.length <= most, `${requests.length} requests at ${viewport.width} px: ${requests.join(' ')}`);
                assert.ok(shift < shiftMax, `layout shift ${shift.toFixed(3)} at ${viewport.width} px: ${moved}`);
            }
        });
