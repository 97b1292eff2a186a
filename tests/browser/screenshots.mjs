/*
 * The pictures of the README, taken from a suite that `make run` has started in this checkout: docs/images/<area>.png,
 * each at most 150 kB. `make screenshots` runs it.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { chromium } from 'playwright-core';

const portal = process.env.ASSAY_PORTAL_URL ?? 'http://127.0.0.1:8080';
const password = readFileSync('var/state/support-first-password', 'utf8').trim();
const mostBytes = 150_000;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' });
const page = await context.newPage();

async function api(path, body) {
    const headers = { 'Content-Type': 'application/json', Origin: portal };
    const response = await context.request.fetch(portal + path, body ? { method: 'POST', headers, data: body } : { headers });
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`);
    return response.json();
}

/* Takes the page as soon as `selector` is there and nothing moves any more; `act` is what the reader has done there. */
async function take(name, path, selector, act = async () => {}) {
    await page.goto(portal + path);
    await act();
    await page.waitForSelector(selector);
    await page.waitForLoadState('networkidle').catch(() => {});
    const file = `docs/images/${name}.png`;
    await page.screenshot({ path: file });
    const bytes = statSync(file).size;
    if (bytes > mostBytes) throw new Error(`${file} has ${bytes} bytes, ${mostBytes} are allowed`);
    console.log(`${file}: ${bytes} bytes`);
}

mkdirSync('docs/images', { recursive: true });
await api('/accounts/api/session', { username: 'admin', password });
const { experiments } = await api('/experiments/api/v1/experiments');
const ready = experiments.find(({ state }) => state === 'ready') ?? experiments[0];
await take('experiments', `/experiments/live/${ready.id}`, 'canvas, svg.chart, .chart');
await take('support', '/support/static/chat.html', '[data-role="assistant"] .citation, [data-role="assistant"] sup', async () => {
    await page.fill('textarea', 'How long is the warranty?');
    await page.keyboard.press('Enter');
});
await take('models', '/models/compare.html', '.answers', async () => {
    await page.waitForSelector('.choices input');
    await page.fill('#query-input', 'Which metric should decide a test of a shorter checkout?');
    await page.click('#btn-submit');
});
await take('data', '/data/', '[data-promise]');
await browser.close();
