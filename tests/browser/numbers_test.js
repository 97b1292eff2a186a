/* Pure modules of the pages: reading numbers, ticks, links. They run in a page, as they do for
 * readers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, experiments, open } from './browser.js';

const readings = [
    ['en', '0.042', false, 0.042],
    ['en', '1,234.5', false, 1234.5],
    ['en', '1,234', false, 1234],
    ['en', '12,000', true, 12000],
    ['de', '0,042', false, 0.042],
    ['de', '1.234,5', false, 1234.5],
    ['de', '12.000', true, 12000],
    ['de', '0.042', false, 0.042],
    ['fr', '12\u202f000', true, 12000],
    ['fr', '4,2 %', false, 0.042],
    ['ar', '٠٫٠٤٢', false, 0.042],
    ['ar', '١٢٬٠٠٠', true, 12000],
    ['en', '5%', false, 0.05],
    ['en', '-.5', false, -0.5],
    ['en', '1e-3', false, 0.001],
    ['en', '\u22125', false, -5],
    ['en', '12.5', true, 12.5],
    ['en', 'much', false, 'much'],
    ['en', '1.2.3,4,5', false, '1.2.3,4,5'],
    ['en', '', false, ''],
    ['en', '0x10', false, '0x10'],
    ['en', 'Infinity', false, 'Infinity'],
];

test('reads numbers as they are written in each language, and leaves alone what is none', async () => {
    const page = await open(`${experiments}/results`);
    const results = await page.evaluate(async (rows) => {
        const { parseNumber } = await import(`${globalThis.assayBase}shared/numbers.js`);
        return rows.map(([lang, text, integer]) => {
            document.documentElement.lang = lang;
            return parseNumber(text, { integer });
        });
    }, readings);
    assert.deepEqual(
        results,
        readings.map((row) => row[3]),
    );
    await close(page);
});

test('puts ticks at round numbers', async () => {
    const page = await open(`${experiments}/results`);
    const ticks = await page.evaluate(async () => {
        const { niceTicks } = await import(`${globalThis.assayBase}shared/scale.js`);
        return [
            niceTicks(293284, 6),
            niceTicks(1, 5),
            niceTicks(7, 7),
            niceTicks(0.034, 4),
            niceTicks(0, 4),
        ];
    });
    assert.deepEqual(ticks, [
        [0, 50000, 100000, 150000, 200000, 250000],
        [0, 0.2, 0.4, 0.6, 0.8, 1],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 0.01, 0.02, 0.03],
        [0],
    ]);
    await close(page);
});

test('reads odd line ends, cells of megabytes and many rows without losing any', async () => {
    const page = await open(`${experiments}/results`);
    const found = await page.evaluate(async () => {
        const { isMissing, tableOf } = await import(`${globalThis.assayBase}experiments/tools/file/head.js`);
        const { groupedByLabel } = await import(`${globalThis.assayBase}experiments/results/inputs.js`);
        const odd = tableOf('user,variant\r\n1,a\rb\r\n"2","c ""d"", e"\r\n\r3\r,f', false);
        const [[long]] = tableOf(`a,b\n"${'x""'.repeat(3_000_000)}",1\n`, false).rows;
        const groups = groupedByLabel(Array.from({ length: 300_000 }, (_, row) => [row % 3 === 0 ? 'control' : 'new', String(row)]));
        return { odd, long: long.length, groups: groups.map(([label, cells]) => [label, cells.length, cells[1][0]]), missing: ['', 'None', 'n/a', 'NaN', '0'].map(isMissing) };
    });
    assert.deepEqual(found.odd, { names: ['user', 'variant'], rows: [['1', 'a\rb'], ['2', 'c "d", e'], ['3', 'f']] });
    assert.equal(found.long, 6_000_000);
    assert.deepEqual(found.groups, [['control', 100_000, '3'], ['new', 200_000, '2']]);
    assert.deepEqual(found.missing, [true, true, true, true, false]);
    await close(page);
});

test('quotes what a shell would take apart', async () => {
    const page = await open(`${experiments}/`);
    const command = await page.evaluate(async () => {
        const { curlCommand } = await import(`${globalThis.assayBase}experiments/calculator/link.js`);
        return curlCommand(
            '/api/v1/calculate',
            { power: "it's $HOME `x`" },
            { language: 'en', withToken: true },
        );
    });
    assert.ok(
        command.endsWith(
            `-H "Authorization: Bearer $ASSAY_TOKEN" \\\n  -d '{"power":"it'\\''s $HOME \`x\`"}'`,
        ),
        command,
    );
    await close(page);
});
