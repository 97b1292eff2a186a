/* The scripts of the pages hold together: every call fits what it calls. By the TypeScript compiler over
 * plain JavaScript with its comments; needs no browser. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'static');

/* What the compiler says about our own files; third-party ones are not ours to mend. */
function complaints(project) {
    const { stdout } = spawnSync('node', [compiler, '-p', project, '--pretty', 'false'], { cwd: root, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => /^[^\s].*error TS/.test(line) && !line.startsWith('vendor/'));
}

test('the compiler finds nothing to complain about', () => {
    assert.deepEqual(complaints(join(root, 'tsconfig.json')), []);
});

test('it would find a call that does not fit', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-types-'));
    try {
        const settings = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
        const wrong = `import { formatInteger } from '${join(root, 'shared', 'numbers.js')}';\nformatInteger(1, 2, 3);\n`;
        writeFileSync(join(folder, 'wrong.js'), wrong);
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, include: ['wrong.js'] }));
        assert.equal(complaints(join(folder, 'tsconfig.json')).length, 1);
    } finally {
        rmSync(folder, { recursive: true });
    }
});
