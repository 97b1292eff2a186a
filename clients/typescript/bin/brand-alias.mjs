#!/usr/bin/env node
/* Writes the package under another name into node_modules: livedata-brand-alias MODULE PREFIX */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brandAlias } from 'livedata-client';

const [name, prefix] = process.argv.slice(2);
if (!/^(@[\w.-]+\/)?[\w.-]+$/.test(name ?? '') || !/^[A-Za-z_]\w*$/.test(prefix ?? '')) {
    console.error('usage: livedata-brand-alias MODULE PREFIX');
    process.exit(2);
}
const folder = join('node_modules', name);
mkdirSync(folder, { recursive: true });
for (const [file, text] of Object.entries(brandAlias(name, prefix))) writeFileSync(join(folder, file), text);
