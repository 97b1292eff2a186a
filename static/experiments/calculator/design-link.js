/* A design as the query of a link, and as a command line. */
import { fields } from './design-fields.js';

/* The query that describes `design`; other parameters of the page are not part of it. */
export function queryOf(design) {
    const query = new URLSearchParams();
    for (const { name } of fields)
        if (design[name] !== undefined)
            query.set(
                name,
                Array.isArray(design[name]) ? design[name].join(',') : String(design[name]),
            );
    return query;
}

/* The design in a query, its values as texts; null when there is none. */
export function designOf(query) {
    const design = {};
    for (const { name, kind } of fields)
        if (query.has(name)) {
            const text = query.get(name);
            design[name] = kind === 'integers' || kind === 'decimals' ? text.split(',') : text;
        }
    return Object.keys(design).length > 0 ? design : null;
}

/* Puts the design into the address without a step in the history. */
export function rememberInAddress(design) {
    const url = new URL(location.href);
    const lang = url.searchParams.get('lang');
    url.search = queryOf(design).toString();
    if (lang !== null) url.searchParams.set('lang', lang);
    history.replaceState(null, '', url);
}

export function linkTo(design) {
    const url = new URL(location.pathname, location.origin);
    url.search = queryOf(design).toString();
    return url.href;
}

function quoted(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

/* A curl command for the request. A token is named, never written out. */
export function curlCommand(path, body, { language, withToken }) {
    const lines = [
        `curl -sS ${quoted(new URL(path, location.origin).href)}`,
        `-H ${quoted('Content-Type: application/json')}`,
        `-H ${quoted(`Accept-Language: ${language}`)}`,
        withToken ? '-H "Authorization: Bearer $ASSAY_TOKEN"' : null,
        `-d ${quoted(JSON.stringify(body))}`,
    ];
    return lines.filter((line) => line !== null).join(' \\\n  ');
}
