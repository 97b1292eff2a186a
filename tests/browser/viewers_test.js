/* The two viewers of the API description. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, experiments, guarded, open } from './browser.js';

test('Swagger UI shows every route and tries one', async () => {
    const page = await open(`${experiments}/docs`);
    const described = await (await fetch(`${experiments}/openapi.json`)).json();
    const operations = Object.values(described.paths).flatMap((path) => Object.keys(path));
    /* Of a long list it holds what is near the window. */
    const seen = new Set();
    await page.waitForSelector('.opblock');
    for (let end = Date.now() + 60_000; seen.size < operations.length && Date.now() < end; ) {
        for (const id of await page.$$eval('.opblock', (blocks) => blocks.map((block) => block.id))) seen.add(id);
        await page.evaluate(() => {
            const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
            scrollTo(0, isAtEnd ? 0 : scrollY + innerHeight / 2);
        });
        await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    assert.equal(seen.size, operations.length);
    await page.evaluate(() => scrollTo(0, 0));
    await page.click('#operations-system-health .opblock-summary-control');
    await page.click('#operations-system-health .try-out__btn');
    await page.click('#operations-system-health .execute');
    await page.waitForSelector(
        '#operations-system-health .live-responses-table .response .response-col_status',
    );
    assert.match(
        await page.textContent(
            '#operations-system-health .live-responses-table .response .response-col_status',
        ),
        /200/,
    );
    await close(page);
});

test('Swagger UI uses the token of the tab', async () => {
    const page = await open(`${guarded.url}/docs`);
    await page.evaluate((token) => sessionStorage.setItem('assay.token', token), guarded.token);
    await page.reload();
    await page.click('#operations-system-readiness .opblock-summary-control');
    await page.click('#operations-system-readiness .try-out__btn');
    await page.click('#operations-system-readiness .execute');
    await page.waitForSelector(
        '#operations-system-readiness .live-responses-table .response .response-col_status',
    );
    assert.match(
        await page.textContent(
            '#operations-system-readiness .live-responses-table .response .response-col_status',
        ),
        /200/,
    );
    await close(page);
});

test('Redoc shows every route, in either scheme, and finds one', async () => {
    const page = await open(`${experiments}/redoc`, { colorScheme: 'dark' });
    await page.waitForSelector('[id="operation/calculate"]');
    const described = await (await fetch(`${experiments}/openapi.json`)).json();
    const operations = Object.values(described.paths).flatMap((path) => Object.keys(path));
    await page.waitForFunction((count) => document.querySelectorAll('[id^="operation/"]').length === count, operations.length);
    await page.click('#person-button');
    await page.click('#theme');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[id="operation/calculate"]');
    await page.fill('#viewer input[type="text"]', 'srm');
    await page.waitForSelector(
        '#viewer [role="search"] li, #viewer [data-role="search:results"] li',
    );
    await close(page);
});
