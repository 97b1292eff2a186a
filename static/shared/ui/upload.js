/* Files on their way to the API: chosen or dropped, with progress, one press from being called off. */
import { currentLocale, t } from '../i18n.js';
import { formatBytes } from '../numbers.js';
import { address } from '../place.js';
import { errorOfResponse, ApiError } from './errors.js';
import { icon } from './icons.js';
import { html, nothing, repeat } from './lit.js';
import { accessToken } from './session.js';

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

function responseOf(request) {
    return { status: request.status, headers: { get: (name) => request.getResponseHeader(name) } };
}

function formOf(file, { field, extra }) {
    const form = new FormData();
    for (const [name, value] of Object.entries(extra(file))) form.append(name, value);
    form.append(field, file, file.name);
    return form;
}

/* One file; fetch says nothing about progress, so this is the older interface. */
function send(item, { url, field, extra, headers, type }, changed) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        const body = type === null ? formOf(item.file, { field, extra }) : item.file;
        item.cancel = () => request.abort();
        request.upload.onprogress = ({ loaded, total }) => changed({ sent: loaded, total });
        request.onload = () => {
            const answer = parsed(request.responseText);
            if (request.status >= 200 && request.status < 300) resolve(answer);
            else reject(errorOfResponse(responseOf(request), answer));
        };
        request.onerror = () => reject(new ApiError('network', ''));
        request.onabort = () => reject(new DOMException('', 'AbortError'));
        request.open('POST', address(typeof url === 'string' ? url : url(item.file)));
        request.setRequestHeader('Accept', 'application/json');
        request.setRequestHeader('Accept-Language', currentLocale());
        if (accessToken() !== null) request.setRequestHeader('Authorization', `Bearer ${accessToken()}`);
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        if (type !== null) request.setRequestHeader('Content-Type', type);
        request.send(body);
    });
}

/* The place to drop files on or to choose them; onFiles(files) receives them. */
export function createDropzone(update, { accept = '', multiple = true, onFiles }) {
    let over = false;

    function hover(now) {
        if (over === now) return;
        over = now;
        update();
    }

    return {
        view({ id = 'upload', label, hint = null }) {
            return html`<label
                class="dropzone"
                for=${id}
                ?data-over=${over}
                @dragover=${(event) => {
                    event.preventDefault();
                    hover(true);
                }}
                @dragleave=${() => hover(false)}
                @drop=${(event) => {
                    event.preventDefault();
                    hover(false);
                    onFiles(event.dataTransfer.files);
                }}
            >
                ${icon('upload')}
                <span class="dropzone-label">${label}</span>
                <span class="field-hint" id=${`${id}-hint`}>${hint ?? t('upload.drop')}</span>
                <input
                    type="file"
                    class="visually-hidden"
                    id=${id}
                    accept=${accept || nothing}
                    ?multiple=${multiple}
                    aria-describedby=${`${id}-hint`}
                    @change=${(event) => {
                        onFiles(event.target.files);
                        event.target.value = '';
                    }}
                />
            </label>`;
        },
    };
}

/*
 * url (or what gives it for a file) and field name the request; extra(file) its other parts; with `type` the file alone is the body, of that
 * media type; accept as in <input>; maxBytes refuses
 * before sending; side: how many at once; onDone(answer, file) after each; with forgetDone what arrived
 * leaves the list, because the page says what became of it; so does what failed if there is onFail(error).
 */
export function createUpload(update, { url, field = 'file', extra = () => ({}), headers = {}, type = null, accept = '', multiple = true, maxBytes = Infinity, side = 2, onDone = null, onFail = null, forgetDone = false }) {
    let items = [];
    let count = 0;

    function change(item, patch) {
        Object.assign(item, patch);
        update();
    }

    async function run(item) {
        change(item, { state: 'sending' });
        try {
            const answer = await send(item, { url, field, extra, headers, type }, (patch) => change(item, patch));
            change(item, { state: 'done', answer });
            if (forgetDone) items = items.filter((one) => one !== item);
            onDone?.(answer, item.file);
        } catch (error) {
            const cancelled = error.name === 'AbortError';
            change(item, { state: cancelled ? 'cancelled' : 'failed', error: cancelled ? null : error });
            if (!cancelled && onFail !== null) {
                items = items.filter((one) => one !== item);
                onFail(error);
            }
        }
        next();
    }

    function next() {
        const sending = items.filter(({ state }) => state === 'sending').length;
        for (const item of items.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, side - sending)))
            run(item);
    }

    function add(files) {
        for (const file of multiple ? files : [...files].slice(0, 1)) {
            const tooLarge = file.size > maxBytes;
            items.push({
                id: ++count,
                file,
                sent: 0,
                total: file.size,
                state: tooLarge ? 'failed' : 'waiting',
                error: tooLarge ? new ApiError('rejected', t('upload.too_large', { limit: formatBytes(maxBytes) })) : null,
                cancel: null,
            });
        }
        update();
        next();
    }

    function cancel(item) {
        if (item.state === 'sending') item.cancel();
        else items = items.filter((one) => one !== item);
        update();
    }

    function again(item) {
        change(item, { state: 'waiting', error: null, sent: 0 });
        next();
    }

    function row(item) {
        const name = item.file.name;
        return html`<li class="upload-item" data-state=${item.state}>
            ${icon('file')}
            <span class="upload-name" dir="auto">${name}</span>
            <span class="upload-size">${formatBytes(item.file.size)}</span>
            ${item.state === 'sending'
                ? html`<progress max=${item.total || 1} value=${item.sent} aria-label=${name}></progress>`
                : html`<span class="upload-state" role="status">${t(`upload.${item.state}`)}</span>`}
            ${item.state === 'failed' && item.file.size <= maxBytes
                ? html`<button type="button" class="button" data-size="small" @click=${() => again(item)}>${t('notice.retry')}</button>`
                : null}
            <button
                type="button"
                class="button button-icon"
                data-kind="quiet"
                aria-label=${t(item.state === 'sending' ? 'upload.cancel' : 'upload.remove', { name })}
                @click=${() => cancel(item)}
            >
                ${icon('close')}
            </button>
            ${item.error ? html`<p class="field-error">${item.error.message || t(`notice.${item.error.kind}`)}</p>` : null}
        </li>`;
    }

    const dropzone = createDropzone(update, { accept, multiple, onFiles: add });
    const upload = {
        add,
        items: () => items,
        busy: () => items.some(({ state }) => state === 'sending' || state === 'waiting'),

        /* Calls off what is on its way, and empties the list. */
        clear() {
            for (const item of items) if (item.state === 'sending') item.cancel();
            items = [];
            update();
        },

        /* What is on its way. */
        list: () => (items.length === 0 ? null : html`<ul class="upload-items">${repeat(items, ({ id: key }) => key, row)}</ul>`),

        /* The place to drop files on, and what is on its way. */
        view: (options) => html`<div class="upload">${dropzone.view(options)} ${upload.list()}</div>`,
    };
    return upload;
}
