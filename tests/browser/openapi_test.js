/* The API document of every service, by a validator that is not ours. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';

const services = readFileSync(new URL('../../nginx/services', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter((words) => words[0] === 'service' && words[2] !== '-')
    .map((words) => words[1]);

for (const service of services)
    test(`the API document of ${service} is one of OpenAPI 3.1`, async () => {
        const url = process.env[`ASSAY_${service.toUpperCase()}_URL`];
        const document = await (await fetch(`${url}/openapi.json`)).json();
        const validator = new Validator();
        const result = await validator.validate(document);
        assert.ok(result.valid, JSON.stringify(result.errors, null, 2));
        assert.equal(validator.version, '3.1');
        assert.ok(Object.keys(document.paths).length > 0);
    });
