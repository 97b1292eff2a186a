/*
 * Every page of static/pages.json on the demonstration, as somebody who administers everything opens it for the first
 * time: few requests, nothing moves while it is filled, nothing sticks out, axe finds nothing. `make soak` looks at
 * each in more sizes and schemes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { accessibilityFaults, open, signInByForm } from './browser.js';

const portal = process.env.ASSAY_DEMO_URL?.replace(/\/$/, '');
const most = 15; /* requests, the page itself included */
const shiftMax = 0.05; /* the layout shift score of Web Vitals */
const pauseMs = 700; /* after the page is filled: what it asks for then still counts */
const pollMs = 2000; /* a page that is filled slowly asks again for what changes; nothing does so sooner */

/** @param {number} width @param {string} locale @param {'light' | 'dark'} colorScheme */
const look = (width, locale, colorScheme) => ({ viewport: { width, height: width === 360 ? 780 : 900 }, locale, colorScheme });
const looks = [look(1440, 'en-US', 'light'), look(360, 'ar', 'dark')];
if (process.env.ASSAY_TEST_SOAK === '1') looks.push(look(1440, 'en-US', 'dark'), look(360, 'en-US', 'light'), look(1440, 'ar', 'light'));

const prefixes = { portal: '', experiments: '/experiments', support: '/support', orchestrator: '/models', livedata: '/data' };
const lists = JSON.parse(readFileSync(new URL('../../static/pages.json', import.meta.url), 'utf8'));
const pages = Object.entries(lists).flatMap(([service, list]) => list.filter(({ page, instead }) => page && !instead).map(({ path }) => prefixes[service] + path));

/* Addresses of the pages of one thing. */
async function findIds(get) {
    const [{ id }] = (await get('/experiments/api/v1/experiments?limit=1')).experiments;
    const [{ trace_id: trace }] = (await get('/support/api/admin/traces?limit=1')).traces;
    const [metric] = (await get('/experiments/api/v1/metrics?limit=1')).metrics;
    return {
        '/docs/{folder}/{name}': '/docs/use/support',
        '/experiments/projects/{id}': `/experiments/projects/${id}`,
        '/experiments/live/{id}': `/experiments/live/${id}`,
        '/experiments/tools/{name}': '/experiments/tools/sensitivity',
        '/experiments/catalog/{id}': `/experiments/catalog/${metric.id}`,
        '/support/admin/traces/{id}': `/support/admin/traces/${trace}`,
    };
}

/* The answer to a request of somebody, signed in for it. */
async function as(person, method, path, body) {
    const headers = { 'Content-Type': 'application/json', Origin: portal };
    const session = await fetch(`${portal}/accounts/api/session`, { method: 'POST', headers, body: JSON.stringify(person) });
    assert.equal(session.status, 200, await session.clone().text());
    const Cookie = session.headers.getSetCookie()[0].split(';')[0];
    const answer = await fetch(portal + path, { method, headers: { ...headers, Cookie }, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.clone().text());
}

/* Somebody new with all rights: the administrator signs out everywhere in another test. */
async function makePerson() {
    const person = { username: `pages${Date.now()}`, password: 'a password of the pages test' };
    const given = { username: person.username, password: 'given for the pages test' };
    const roles = Object.fromEntries(['experiments', 'support', 'models', 'data', 'suite'].map((area) => [area, 'admin']));
    await as({ username: 'admin', password: process.env.ASSAY_DEMO_PASSWORD }, 'POST', '/accounts/api/people', { ...given, roles });
    await as(given, 'PUT', '/accounts/api/password', { current: given.password, new: person.password });
    return person;
}

/* {storageState, ids}: what a browser keeps of the sign-in, and the addresses that only who is signed in can find. */
async function signIn() {
    const page = await open(`${portal}/sign-in`);
    const person = await makePerson();
    await as(person, 'POST', '/experiments/api/v1/metrics', { name: `Metric of ${person.username}`, kind: 'binary', event_name: 'purchase' });
    await signInByForm(page, person);
    await page.waitForSelector('[data-card]');
    const ids = await findIds((path) => page.evaluate(async (address) => (await fetch(address)).json(), path));
    const storageState = await page.context().storageState();
    await page.context().close();
    return { storageState, ids };
}

let signedIn; /* by the first test */

/* Runs in the page before anything else: adds up what moves. */
function countShifts() {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, sources } of /** @type {any[]} */ (list.getEntries()))
            globalThis.shifts.push({ value, nodes: sources.map(({ node }) => node?.id || node?.className || node?.nodeName) });
    }).observe({ type: 'layout-shift', buffered: true });
}

/* The gallery shows what pages look like while they wait, too. What nobody has seen yet is fetched when it comes into sight. */
const isFilled = () =>
    document.querySelector('main h1') !== null &&
    document.querySelector('#page')?.childElementCount !== 0 &&
    (document.body.dataset.page === 'gallery' || document.querySelector(':is([aria-busy="true"], .skeleton):not([data-unseen] *)') === null);

/* What is wrong with a page in one look, one line each. */
async function faultsOf(path, shown, storageState) {
    const kept = path === '/sign-in' ? {} : { storageState }; /* which leads on whoever is signed in */
    const page = await open('about:blank', { ...shown, ...kept, reducedMotion: 'reduce' });
    const requests = [];
    const firstAt = {};
    page.on('request', (request) => {
        const address = request.url().replace(portal, '');
        firstAt[address] ??= Date.now();
        if (Date.now() - firstAt[address] < pollMs) requests.push(address);
    });
    await page.addInitScript(countShifts);
    await page.goto(portal + path);
    await page.waitForFunction(isFilled);
    await page.waitForTimeout(pauseMs);
    const asked = [...requests];
    const shifts = await page.evaluate(() => globalThis.shifts);
    const shift = shifts.reduce((sum, { value }) => sum + value, 0);
    const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    const faults = [
        ...(asked.length > most ? [`${asked.length} requests: ${asked.join(' ')}`] : []),
        ...(shift < shiftMax ? [] : [`layout shift ${shift.toFixed(3)}: ${shifts.flatMap(({ nodes }) => nodes).join()}`]),
        ...(content <= room ? [] : [`${content} px wide in a window of ${room} px`]),
        ...(await accessibilityFaults(page)),
        ...page.faults.filter((fault) => !fault.includes('status of 404') || !fault.endsWith('/not-found')),
    ];
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${`${path} ${nameOf(shown)}`.replace(/\W+/g, '_')}.png`, fullPage: true });
    await page.context().close();
    return faults.map((fault) => `${path}, ${nameOf(shown)}: ${fault}`);
}

function nameOf({ viewport, locale, colorScheme }) {
    return `${viewport.width} px, ${locale}, ${colorScheme}`;
}

for (const path of pages)
    test(path, { skip: !portal }, async () => {
        signedIn ??= await signIn();
        const faults = [];
        for (const one of looks) faults.push(...(await faultsOf(signedIn.ids[path] ?? path, one, signedIn.storageState)));
        assert.deepEqual(faults, []);
    });
