/*
 * What the browser tests share: one browser per file, pages that notice whatever goes wrong in
 * them, and waiting for what is shown rather than for time to pass.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const experiments = process.env.ASSAY_EXPERIMENTS_URL.replace(/\/$/, '');
export const portal = process.env.ASSAY_PORTAL_URL.replace(/\/$/, '');
export const guarded = {
    url: process.env.ASSAY_GUARDED_URL.replace(/\/$/, ''),
    token: process.env.ASSAY_GUARDED_TOKEN,
    admin: process.env.ASSAY_GUARDED_ADMIN,
};

/*
 * The engine of Chromium without the browser round it: what is tested are pages, and windows that nobody sees cost
 * two thirds of what a page takes to load.
 */
const program = '/usr/bin/chromium-headless-shell';
const flags = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];

let browser;

before(async () => {
    browser = await chromium.launch({ executablePath: program, args: flags });
});

after(() => browser.close());

/*
 * Every answer that a page asks for comes up to ASSAY_BROWSER_DELAY_MS late, by chance (ASSAY_BROWSER_SEED): answers
 * then come in another order than on an idle machine. What reads a page before it is there fails.
 */
const delayMs = Number(process.env.ASSAY_BROWSER_DELAY_MS ?? 0);
let drawn = Number(process.env.ASSAY_BROWSER_SEED ?? 1) >>> 0;

/* From 0 to 1: a linear congruential generator, its lower bits left out. */
function draw() {
    drawn = (Math.imul(drawn, 1664525) + 1013904223) >>> 0;
    return (drawn >>> 8) / 2 ** 24;
}

async function delay(context) {
    await context.route('**/*', async (route) => {
        if (['fetch', 'xhr', 'eventsource'].includes(route.request().resourceType()))
            await new Promise((resolve) => setTimeout(resolve, draw() * delayMs));
        await route.fallback().catch(() => {}); /* the page may have gone */
    });
}

function watch(page) {
    page.faults = [];
    page.on('pageerror', (error) => page.faults.push(error.stack));
    page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
            page.faults.push(`${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith('http') && hostname !== '127.0.0.1')
            page.faults.push(`request to ${request.url()}`);
    });
}

/* A page of its own at `url`; options are those of a browser context. */
export async function open(url, options = {}) {
    const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        locale: 'en-US',
        ...options,
    });
    if (delayMs > 0) await delay(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60000); /* far beyond what a page takes: a machine with much else to do is no fault of it */
    watch(page);
    await page.goto(url);
    return page;
}

/* Who administers everything while nobody has set a password: the pair of a development installation. */
const administrator = { username: 'admin', password: 'admin' };
const cookies = new Map();

/* The session cookie of a person as `name=value`; each signs in once per file. */
async function cookieOf(who) {
    if (!cookies.has(who.username)) {
        const response = await fetch(`${portal}/accounts/api/session`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', Origin: portal },
            body: JSON.stringify(who),
        });
        assert.equal(response.status, 200, await response.text());
        cookies.set(who.username, response.headers.getSetCookie()[0].split(';')[0]);
    }
    return cookies.get(who.username);
}

/* {status, data} of a request to the portal as a page of it sends it; who = null sends no session. */
export async function request(method, path, body = undefined, who = administrator) {
    const response = await fetch(portal + path, {
        method,
        headers: { 'Content-Type': 'application/json', Origin: portal, ...(who === null ? {} : { Cookie: await cookieOf(who) }) },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, data: text === '' ? null : JSON.parse(text) };
}

/*
 * A page of the portal at `path`, signed in as `who`; null is the administrator. `fresh` signs in anew, for a session
 * that is ended: sign-ins of one address are limited.
 */
export async function openAs(who, path, { fresh = false, ...options } = {}) {
    const person = who ?? administrator;
    if (fresh) cookies.delete(person.username);
    const [name, value] = (await cookieOf(person)).split(/=(.*)/s);
    if (fresh) cookies.delete(person.username);
    const cookie = { name, value, domain: new URL(portal).hostname, path: '/', expires: -1, httpOnly: true, secure: false, sameSite: /** @type {const} */ ('Lax') };
    return open(portal + path, { ...options, storageState: { cookies: [cookie], origins: [] } });
}

/* Fills in the sign-in page and sends it. */
export async function signInByForm(page, { username, password }) {
    await page.fill('#sign-in-username', username);
    await page.fill('#sign-in-password', password);
    await page.click('#sign-in button[type="submit"]');
}

/* Until the form of the page has been answered. */
export async function answered(page) {
    await page.waitForSelector('#result-body[aria-busy="false"]');
}

/* Until the element's text is `wanted` (a string, or a pattern). */
export async function untilText(page, selector, wanted) {
    const pattern = wanted instanceof RegExp ? wanted : new RegExp(`^${escaped(wanted)}$`);
    await page.waitForFunction(
        ([where, source, flags]) =>
            new RegExp(source, flags).test(document.querySelector(where)?.textContent.trim() ?? ''),
        [selector, pattern.source, pattern.flags],
    );
}

function escaped(text) {
    return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/* Presses Tab until the element has the focus: it can be reached, and nothing on the way keeps the focus. */
export async function tabTo(page, selector) {
    const there = () => page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
    for (let presses = 0; presses < 80; presses++) {
        if (await there()) return;
        await page.keyboard.press('Tab');
    }
    assert.fail(`${selector} is not reached by keyboard`);
}

/* Closes the page; it must have reported nothing but the failed requests with these statuses. */
export async function close(page, expectedStatuses = []) {
    const expected = expectedStatuses.map(
        (status) => `the server responded with a status of ${status}`,
    );
    const faults = page.faults.filter((fault) => !expected.some((text) => fault.includes(text)));
    await page.context().close();
    assert.deepEqual(faults, []);
}

/* What axe finds, one line per element. options: those of axe.run; context: where to look. */
export async function accessibilityFaults(page, context = {}, options = {}) {
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
    const { violations } = await page.evaluate(
        ([where, how]) => globalThis.axe.run(where, how),
        [
            Object.keys(context).length > 0 ? context : { include: [['html']] },
            { resultTypes: ['violations'], ...options },
        ],
    );
    return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
    );
}

/*
 * How every page is shown. Contrast depends on the scheme, what sticks out on width and direction: these two have
 * each of them once.
 */
export const looks = [
    { name: 'light', query: 'lang=en', options: { colorScheme: 'light', viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } },
    { name: 'Arabic, dark, 360 px', query: 'lang=ar', options: { colorScheme: 'dark', viewport: { width: 360, height: 780 }, reducedMotion: 'reduce' } },
];

/* `address` in the language of a look. */
export function inLook(address, look) {
    return `${address}${address.includes('?') ? '&' : '?'}${look.query}`;
}

/*
 * Every page in every look; a page is where to go and what says that it is there, a selector or what waits for it.
 * One tab a look, opened by show(address, options): what pages share is loaded and compiled once, which halves the cost.
 */
export async function checkPages(t, show, pages) {
    for (const look of looks) {
        let page = null;
        for (const [address, ready] of pages)
            await t.test(`${address}, ${look.name}`, async () => {
                const there = inLook(address, look);
                if (page === null) page = await show(there, look.options);
                else await page.goto(new URL(there, page.url()).href);
                await (typeof ready === 'string' ? page.waitForSelector(ready) : ready(page));
                await checkLook(page, `${address}, ${look.name}`, look);
            });
        await close(page);
    }
}

/* Looks at a page that is open already in another way; it may have to be loaded anew for the language. */
export async function takeLook(page, { options }) {
    await page.setViewportSize(options.viewport);
    await page.emulateMedia({ colorScheme: options.colorScheme, reducedMotion: options.reducedMotion }); /* no half-way colours */
}

/*
 * Axe finds nothing, and nothing sticks out. Axe reads a page in the first look only: the gallery, which names no look,
 * shows every component in both, and `make soak` reads every page in both. SHOTS names a folder for pictures.
 */
export async function checkLook(page, what, look = looks[0]) {
    if (look === looks[0] || process.env.ASSAY_TEST_SOAK === '1') assert.deepEqual(await accessibilityFaults(page), [], what);
    const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= room, `${what}: ${content} px wide in a window of ${room} px`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${what.replace(/\W+/g, '_')}.png`, fullPage: true });
}
