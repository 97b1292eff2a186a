/* The page in the frame of another site: it talks with widget.js there by messages. */

const channel = 'assay-help';

export const isEmbedded = window.parent !== window;

/* type: 'init' (the page is ready), 'close', 'resize'; nothing in it is secret, so any parent may hear it. */
export function tellParent(type, data = {}) {
    if (isEmbedded) window.parent.postMessage({ channel, type, ...data }, '*');
}

if (isEmbedded) {
    document.documentElement.dataset.embedded = '';
    addEventListener('message', ({ data, source }) => {
        if (source !== window.parent || data?.channel !== channel) return;
        if (data.type === 'focus') document.getElementById('question')?.focus();
    });
    addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open], .panel')) tellParent('close');
    });
    addEventListener('load', () => tellParent('init'));
}
