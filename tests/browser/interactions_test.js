/* Interactions on the tab Segments: asked for by a button, the figures of the route, what they mean and what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPages, close, experiments, open, untilText } from './browser.js';
import { designOf } from './designs.js';

async function send(method, path, body) {
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const create = async (name) => (await send('POST', '/projects', designOf(name))).id;
const expose = (id, users, armOf) => send('POST', `/experiments/${id}/exposures`, { exposures: users.map((index) => ({ user_id: `both-${index}`, variation_index: armOf(index) })) });

/* Users in both experiments, by turns in each combination of arms; of each hundred of them as many buy as shares[arm][other arm] says. */
const armOf = (index) => index % 2;
const otherArmOf = (index) => Math.floor(index / 2) % 2;
const users = Array.from({ length: 1000 }, (_, index) => index);
async function twoExperiments(name, shares) {
    const [id, other] = [await create('Checkout'), await create(name)];
    await expose(id, users, armOf);
    await expose(other, users, otherArmOf);
    const bought = users.filter((index) => Math.floor(index / 4) % 100 < shares[armOf(index)][otherArmOf(index)]);
    await send('POST', `/experiments/${id}/conversions`, { conversions: bought.map((index) => ({ user_id: `both-${index}`, metric: 'purchase', value: 1, idempotency_key: `both-${index}` })) });
    return { id, other };
}

/* Other tests use the same service: the page is shown one experiment of those that are running. */
const only = (page, id, other) => page.route(`**/experiments/${id}/interactions`, (route) => route.continue({ url: `${experiments}/api/v1/experiments/${id}/interactions?with=${other}` }));

const numbersIn = (text) => [...text.replaceAll('\u2212', '-').replaceAll(',', '').matchAll(/[-+]?\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
const points = (value) => Number((100 * value).toFixed(2));

test('interactions: the service is asked by a button, and its figures are shown with what they mean', async (t) => {
    const name = 'Ø配送 <b>доставка</b>';
    const { id, other } = await twoExperiments(name, [[20, 20], [25, 70]]);
    const page = await open(`${experiments}/live/${id}?part=segments`);
    await only(page, id, other);
    await page.waitForSelector('#show-interactions');
    assert.equal(await page.locator('#interactions table').count(), 0, 'nothing is read before somebody asks');
    await page.click('#show-interactions');
    await untilText(page, '[data-says="found"] .notice-title', 'The effect depends on 1 other experiment');
    const answer = await send('GET', `/experiments/${id}/interactions?with=${other}`);
    const [{ pairs: [pair], shared_users: shared }] = answer.experiments;
    assert.ok(pair.is_interaction && shared === users.length);
    assert.ok((await page.textContent('[data-says="found"] li')).includes(name));
    const [cells] = await page.$$eval('#interactions tbody tr', (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.replace(/\s+/g, ' ').trim())));
    assert.deepEqual(cells.slice(0, 2), ['Variant B', 'Variant B']);
    assert.equal(numbersIn(cells[2])[0], pair.users);
    assert.deepEqual(cells.slice(3, 6).map((cell) => numbersIn(cell)[0]), [pair.effect_beside_control, pair.effect_beside_treatment, pair.difference].map(points));
    assert.deepEqual(numbersIn(cells[6]), [pair.ci_lower, pair.ci_upper].map(points));
    assert.equal(cells[8], 'Interaction');
    assert.match(await page.textContent(`[data-other="${other}"]`), /Shared users: 1,000 \(100% of this experiment\)/);
    assert.ok((await page.getAttribute(`[data-other="${other}"] a`, 'href')).endsWith(`/live/${other}`));
    await close(page);
    const shown = (path, options) => open(experiments + path, options).then(async (one) => {
        await one.click('#show-interactions');
        return one;
    });
    await checkPages(t, shown, [[`/live/${id}?part=segments`, '#interactions [data-says]']]);
});

test('interactions: none proven, no shared users, and an error that can be tried again', async () => {
    const { id, other } = await twoExperiments('Banner', [[20, 20], [30, 30]]);
    const apart = await create('Elsewhere');
    await send('POST', `/experiments/${apart}/exposures`, { exposures: [0, 1].map((arm) => ({ user_id: `apart-${arm}`, variation_index: arm })) });
    const page = await open(`${experiments}/live/${id}?part=segments`);
    await only(page, id, '00000000-0000-4000-8000-000000000000');
    await page.click('#show-interactions');
    await untilText(page, '#interactions .notice', /not found/i);
    await page.unrouteAll();
    await only(page, id, other);
    await page.click('#show-interactions');
    await untilText(page, '[data-says="none"] .notice-title', 'No interaction is proven');
    await untilText(page, '#interactions tbody tr', /Not proven/);
    await page.unrouteAll();
    await only(page, id, apart);
    await page.click('#show-interactions');
    await untilText(page, '[data-says="apart"] .notice-title', 'No other experiment shares users with this one');
    await untilText(page, `[data-other="${apart}"]`, /No users are in both/);
    assert.equal(await page.locator('#interactions table').count(), 0);
    await close(page, [404]);
});
