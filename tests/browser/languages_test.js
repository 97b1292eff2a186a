/* Languages and colour schemes on every page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, close, experiments, open, portal, untilText } from './browser.js';

const titles = {
    en: 'Sample size calculator',
    ru: 'Калькулятор размера выборки',
    de: 'Stichprobenrechner',
    es: 'Calculadora del tamaño de muestra',
    fr: 'Calculateur de taille d’échantillon',
    zh: '样本量计算器',
    ar: 'حاسبة حجم العينة',
};

for (const [tag, title] of Object.entries(titles))
    test(`speaks ${tag}, the API's texts included`, async () => {
        const page = await open(`${experiments}/?lang=${tag}&seasonality_present=true`);
        await answered(page);
        assert.equal(await page.textContent('h1'), title);
        assert.equal(await page.getAttribute('html', 'lang'), tag);
        assert.equal(await page.getAttribute('html', 'dir'), tag === 'ar' ? 'rtl' : 'ltr');
        assert.match(await page.textContent('#figure-per-variant'), /^146\D?642$/);
        const warning = await page.textContent('[data-code="SEASONALITY_PRESENT"] span:last-child');
        const english = /seasonal/i.test(warning) && /weeks/i.test(warning);
        assert.equal(english, tag === 'en', warning);
        assert.equal(
            await page.evaluate(
                () =>
                    document.body.innerText
                        .match(/\b[a-z]+(\.[a-z_]+){1,2}\b/g)
                        ?.filter((word) => !word.endsWith('.html')) ?? null,
            ),
            null,
        );
        await close(page);
    });

test('changes language in place, keeps what was entered and remembers the choice', async () => {
    const page = await open(`${experiments}/?lang=fr`);
    await answered(page);
    await page.fill('#mde_pct', '10');
    await page.click('#person-button');
    await page.focus('#language');
    await page.selectOption('#language', 'ar');
    await untilText(page, 'h1', titles.ar);
    await page.waitForFunction(
        () => document.querySelector('#figure-per-variant').textContent === '37,513',
    );
    assert.equal(await page.getAttribute('html', 'dir'), 'rtl');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'language');
    assert.equal(new URL(page.url()).searchParams.has('lang'), false);
    const form = await page.locator('#design').boundingBox();
    const result = await page.locator('#results').boundingBox();
    assert.ok(form.x > result.x, 'the form stands where reading begins');
    await page.reload();
    await answered(page);
    assert.equal(await page.textContent('h1'), titles.ar);
    assert.equal(await page.inputValue('#mde_pct'), '10%');
    await close(page);
});

test('takes the language of the browser when none was chosen', async () => {
    const page = await open(`${portal}/sign-in`, { locale: 'de-AT' });
    await untilText(page, 'h1', 'Anmelden');
    assert.equal(await page.getAttribute('html', 'lang'), 'de');
    await close(page);
});

test('reads numbers as people of the language write them', async () => {
    const page = await open(`${experiments}/?lang=de`);
    await answered(page);
    await page.fill('#baseline_value', '4,2%');
    await page.fill('#expected_daily_traffic', '12.000');
    await page.fill('#audience_share_in_test', '0,6');
    await page.click('button[type="submit"]');
    await answered(page);
    assert.match(
        page.url(),
        /baseline_value=0\.042&.*expected_daily_traffic=12000&audience_share_in_test=0\.6&/,
    );
    assert.equal(await page.textContent('#figure-per-variant'), '146.642');
    await close(page);
});

test('stays whole in English when no catalogue can be had', async () => {
    const page = await open('about:blank');
    await page.route('**/locales/*', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(`${experiments}/?lang=ru`);
    await page.waitForSelector('h1:visible');
    assert.equal(await page.textContent('h1'), titles.en);
    await close(page, [404]);
});

const background = (page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

test('follows the colour scheme of the system until the reader picks the other one', async () => {
    const page = await open(`${experiments}/`, { colorScheme: 'light' });
    await answered(page);
    const light = await background(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background(page);
    assert.notEqual(light, dark);
    await page.click('#person-button');
    await untilText(page, '#theme', 'Light theme');

    await page.click('#theme');
    assert.equal(await background(page), light);
    await page.reload();
    await answered(page);
    assert.equal(await background(page), light);

    await page.click('#person-button');
    await page.click('#theme');
    assert.equal(await background(page), dark);
    assert.equal(await page.evaluate(() => localStorage.getItem('assay.theme')), null);
    await page.emulateMedia({ colorScheme: 'light' });
    assert.equal(await background(page), light);
    await close(page);
});

test('prints the result before the form, without controls', async () => {
    const page = await open(`${experiments}/`, { colorScheme: 'dark' });
    await answered(page);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.equal(await background(page), 'rgb(255, 255, 255)');
    assert.equal(await page.isVisible('#site-header'), false);
    assert.equal(await page.isVisible('#print'), false);
    const form = await page.locator('#design').boundingBox();
    const result = await page.locator('#results').boundingBox();
    assert.ok(result.y < form.y);
    await close(page);
});
