/* The scripts of the pages hold together: every call fits what it calls, and what is read of an answer
 * stands in the document of its service. By the TypeScript compiler over plain JavaScript with its
 * comments; needs no browser, but the services for their documents. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeTypes } from './types.js';

const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'static');
const types = join(root, '..', 'build', 'types');
/* Accounts has no port of its own. */
const services = { accounts: `${process.env.ASSAY_PORTAL_URL}/accounts` };
for (const service of ['experiments', 'support', 'orchestrator', 'livedata']) services[service] = process.env[`ASSAY_${service.toUpperCase()}_URL`];

/* Made anew from what the services say now; stays there for the editors of whoever works on the pages. */
before(async () => {
    for (const [service, url] of Object.entries(services)) {
        const answer = await fetch(`${url.replace(/\/$/, '')}/openapi.json`);
        await writeTypes(types, service, await answer.json());
    }
});

/* What the compiler says about our own files; third-party ones are not ours to mend. */
function complaints(project) {
    const { stdout } = spawnSync('node', [compiler, '-p', project, '--pretty', 'false'], { cwd: root, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => /^[^\s].*error TS/.test(line) && !line.startsWith('vendor/'));
}

/* What it says about a script of these lines: {line: message}. */
function complaintsAbout(lines) {
    const folder = mkdtempSync(join(tmpdir(), 'assay-types-'));
    try {
        const settings = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
        const include = ['script.js', join(root, 'shared', 'ui', '*.d.ts'), join(types, '*.d.ts')];
        writeFileSync(join(folder, 'script.js'), lines.join('\n'));
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, include }));
        const parts = complaints(join(folder, 'tsconfig.json')).map((line) => /script\.js\((\d+),\d+\): (.*)$/.exec(line));
        return Object.fromEntries(parts.map(([, line, message]) => [lines[Number(line) - 1], message]));
    } finally {
        rmSync(folder, { recursive: true });
    }
}

const from = (module, name) => `import { ${name} } from '${join(root, 'shared', module)}';`;

test('the compiler finds nothing to complain about', () => {
    assert.deepEqual(complaints(join(root, 'tsconfig.json')), []);
});

/* Of each service: what a page may ask for and read, and the same misspelt. */
const uses = {
    experiments: {
        right: ["(await client.get('/api/v1/projects')).data.projects[0].project_name", '(await client.get(`/api/v1/experiments/${id}/live-stats`)).data.srm.p_value'],
        wrong: ["(await client.get('/api/v1/projects')).data.projects[0].name", '(await client.get(`/api/v1/experiments/${id}/live-stats`)).data.srm.pvalue'],
    },
    support: {
        right: ["(await client.post('/api/ask', {})).data.citations[0].excerpt", "(await client.get('/api/sessions')).data[0].session_id"],
        wrong: ["(await client.post('/api/ask', {})).data.citation", "(await client.get('/api/sessions')).data.sessions"],
    },
    orchestrator: {
        right: ["(await client.get('/api/v1/analytics')).data.models[0].model_id", "(await client.post(`/api/v1/tasks/${id}/retry`, {})).data.status === 'failed'"],
        wrong: ["(await client.get('/api/v1/analytic')).data", "(await client.post(`/api/v1/tasks/${id}/retry`, {})).data.status === 'broken'"],
    },
    livedata: {
        right: ['(await client.get(`/v1/entity/order/${encodeURIComponent(id)}/timeline`)).data.pipeline_trail', "(await client.get('/v1/admin/analytics/usage')).data.tenants[0].error_rate"],
        wrong: ['(await client.get(`/v1/entity/${id}/timeline`)).data.pipeline_trail', "(await client.post('/v1/admin/analytics/usage')).data"],
    },
};

test('it would find a call that does not fit, and a misspelt field or path of each service', () => {
    const statement = (use) => `console.log(${use});`;
    const clients = Object.entries(uses).flatMap(([service, { right, wrong }]) => [
        '{',
        `/** @type {Client<'${service}'>} */`,
        'const client = createClient();',
        ...[...right, ...wrong].map(statement),
        '}',
    ]);
    const named = ['/** @type {livedata.AlertHistory} */ let history;', '/** @type {livedata.AlertHistories} */ let histories;'];
    const script = [...named, from('numbers.js', 'formatInteger'), from('ui/client.js', 'createClient'), "const id = encodeURIComponent('a b');", 'formatInteger(1);', 'formatInteger(1, 2, 3);', ...clients];
    const expected = [named[1], 'formatInteger(1, 2, 3);', ...Object.values(uses).flatMap(({ wrong }) => wrong.map(statement))];
    const found = complaintsAbout(script);
    assert.deepEqual(Object.keys(found).sort(), expected.sort(), JSON.stringify(found));
});
