/*
 * Something that is fetched: loading, empty, failed, out of date, ready. What has been shown stays
 * while newer data is on its way, but never in full ink.
 */
import { t } from '../i18n.js';
import { ApiError } from './errors.js';
import { empty } from './empty.js';
import { html } from './lit.js';
import { errorNotice, tokenForm } from './notice.js';
import { skeleton } from './skeleton.js';

/** @template Data @typedef {ReturnType<typeof createResource<Data>>} Resource */

/**
 * load(signal, ...values) fetches; update() draws the page anew. A newer load() aborts the older
 * one. The resource has: data (undefined before the first answer), error, busy, outdated.
 *
 * @template Data
 * @param {() => void} update
 * @param {(signal: AbortSignal, ...values: any[]) => Promise<Data>} load
 */
export function createResource(update, load) {
    let running = null;
    let values = [];
    let timer = null;

    const resource = {
        data: /** @type {Data} */ (undefined),
        error: /** @type {any} */ (null),
        busy: false,
        outdated: false,

        /**
         * Fetches; resolves to the data, or undefined when it failed or was overtaken.
         *
         * @returns {Promise<Data>}
         */
        async load(...given) {
            values = given;
            running?.abort();
            const mine = (running = new AbortController());
            resource.busy = true;
            update();
            try {
                const data = await load(mine.signal, ...given);
                if (running !== mine) return undefined;
                Object.assign(resource, { data, error: null, busy: false, outdated: false });
                update();
                return data;
            } catch (error) {
                if (running !== mine || mine.signal.aborted) return undefined;
                if (!(error instanceof ApiError)) throw error;
                Object.assign(resource, { error, busy: false });
                update();
                return undefined;
            }
        },

        reload: () => resource.load(...values),

        /** Fetches another thing: the one that was shown goes at once, so that nobody acts on what is not in sight. */
        open(...given) {
            if (String(given) !== String(values)) Object.assign(resource, { data: undefined, error: null, outdated: false });
            return resource.load(...given);
        },

        /* What is shown no longer belongs to what has been entered. */
        outdate() {
            resource.outdated = true;
            update();
        },

        /* Puts data in place that came another way. */
        /** @param {Data} data */
        set(data) {
            running?.abort();
            Object.assign(resource, { data, error: null, busy: false, outdated: false });
            update();
        },

        /* Fetches again every `ms` while the page is in sight and has not been refused; stop() ends it. */
        every(ms) {
            clearInterval(timer);
            timer = setInterval(() => {
                const refused = resource.error?.kind === 'unauthorized';
                if (document.visibilityState === 'visible' && !resource.busy && !refused) resource.reload();
            }, ms);
        },

        stop() {
            clearInterval(timer);
            running?.abort();
            running = null;
        },
    };
    return resource;
}

function failure(resource, how) {
    if (resource.error === null) return null;
    const retry = () => resource.reload();
    if (how.failed) return how.failed(resource.error, retry);
    return resource.error.kind === 'unauthorized'
        ? tokenForm(resource.error, retry)
        : errorNotice(resource.error, { retry });
}

/**
 * how: ready(data) a template; isEmpty(data) and empty {title, text, action}; skeleton {lines,
 * height}; failed(error, retry) instead of the usual notice; quiet: polling does not fade.
 *
 * @template Data
 * @param {Resource<Data>} resource
 * @param {{ ready: (data: Data) => any, isEmpty?: (data: Data) => boolean, empty?: any, skeleton?: any,
 *     failed?: (error: any, retry: () => void) => any, quiet?: boolean }} how
 */
export function resourceView(resource, how) {
    if (resource.data === undefined)
        return html`<div class="resource" aria-busy=${String(resource.error === null)}>
            ${resource.error === null ? skeleton(how.skeleton) : failure(resource, how)}
        </div>`;
    const stale = resource.outdated || resource.error !== null || (resource.busy && !how.quiet);
    const nothingThere = how.isEmpty?.(resource.data) ?? false;
    return html`<div class="resource" aria-busy=${String(resource.busy)} ?data-stale=${stale}>
        ${failure(resource, how)}
        ${nothingThere ? empty(how.empty ?? { title: t('state.empty') }) : how.ready(resource.data)}
    </div>`;
}
