/*
 * The answers of the services as TypeScript declarations, build/types/<service>.d.ts: openapi-typescript makes
 * them from the OpenAPI documents, for the compiler that checks the pages, never for a browser.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const any = ts.factory.createKeywordTypeNode(ts.SyntaxKind.AnyKeyword);
const anyRecord = ts.factory.createTypeReferenceNode('Record', [ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword), any]);

/* A schema that says nothing is `any`, an object that does not name its members may have any. */
function transform(schema) {
    const { type, properties, additionalProperties } = schema;
    if (type === 'object' && properties === undefined && typeof additionalProperties !== 'object') return anyRecord;
    const speaks = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'].some((key) => schema[key] !== undefined);
    return speaks ? undefined : any;
}

/* Writes the declarations of one service below the folder; its schemas are also `service.Name` for every script. */
export async function writeTypes(folder, service, document) {
    const nodes = await openapiTS(document, { transform, rootTypes: true, rootTypesNoSchemaPrefix: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${service}.d.ts`), `${astToString(nodes)}export as namespace ${service};\n`);
}
