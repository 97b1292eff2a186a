/* What the README shows is run against a service, where LIVE_URL and LIVE_API_KEY name one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const { LIVE_URL: url, LIVE_API_KEY: key } = process.env;
const skip = url && key ? false : 'LIVE_URL and LIVE_API_KEY name no service';

test('the program of the README works', { skip }, async () => {
    const [, code] = /```ts\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'));
    const file = `readme-${process.pid}.mjs`;
    writeFileSync(file, code.replace('http://localhost:8010', url).replace('your-key', key));
    const program = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const clock = setTimeout(() => program.kill('SIGKILL'), 60000);
    let text = '';
    try {
        for await (const line of createInterface({ input: program.stdout })) {
            text += `${line}\n`;
            if (line.includes('SES-README')) break;
        }
    } finally {
        clearTimeout(clock);
        program.kill('SIGKILL');
        rmSync(file);
    }
    assert.match(text, /^delivered [0-9.]+ (?:null|[0-9.]+)\n/);
    assert.match(text, /\napplied null\n(?:.*\n)*page_view SES-README\n$/);
    assert.match(text, /stock_quantity/);
});
