/* A design as the query of a link, and as a command line. */
import { apiAddress } from '../../shared/place.js';
import { fields } from './fields.js';

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

const isNumber = (text) => /^-?\d*\.?\d+(e[-+]?\d+)?$/i.test(text);

/* A number where the text is one, else the text, so that the API can say what is wrong with it. */
function valueOf(text) {
    return isNumber(text) ? Number(text) : text;
}

/*
 * The design in a query, null when there is none. `cut` names the lists that do not have one item per
 * variant; they are left out, for whoever made the link meant something else.
 */
export function designOf(query) {
    const design = {};
    const cut = [];
    for (const { name, list } of fields) {
        const text = query.get(name);
        if (text === null) continue;
        const items = text.split(',').map(valueOf);
        if (!list) design[name] = valueOf(text);
        else if (items.length === list.count(design)) design[name] = items;
        else cut.push(name);
    }
    return Object.keys(design).length + cut.length > 0 ? { design, cut } : null;
}

/* Puts the design into the address without a step in the history. */
export function rememberInAddress(design) {
    const url = new URL(location.href);
    const lang = url.searchParams.get('lang');
    url.search = queryOf(design).toString();
    if (lang !== null) url.searchParams.set('lang', lang);
    history.replaceState(history.state, '', url);
}

export function linkTo(design) {
    const url = new URL(location.pathname, location.origin);
    url.search = queryOf(design).toString();
    return url.href;
}

export function quoted(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

/* A curl command for the request. A token is named, never written out. */
export function curlCommand(path, body, { language, withToken }) {
    const lines = [
        `curl -sS ${quoted(apiAddress(path))}`,
        `-H ${quoted('Content-Type: application/json')}`,
        `-H ${quoted(`Accept-Language: ${language}`)}`,
        withToken ? '-H "Authorization: Bearer $ASSAY_TOKEN"' : null,
        `-d ${quoted(JSON.stringify(body))}`,
    ];
    return lines.filter((line) => line !== null).join(' \\\n  ');
}
