/*
 * Puts the help page into another site: a button in a corner that opens it in a frame.
 *
 *   <script src="https://assay.example/support/static/widget.js" data-title="Help" data-position="bottom-right" defer></script>
 *
 * data-api: where Assay is, if the script comes from elsewhere; data-title: name of the button;
 * data-position: bottom-right or bottom-left. The site must be in WIDGET_ALLOWED_ORIGINS. The script is
 * alone: it needs nothing of the site and adds two elements to it.
 */
(() => {
    const channel = 'assay-help';
    const script = /** @type {HTMLScriptElement} */ (document.currentScript);
    const { api = '', title = 'Help', position = 'bottom-right' } = script.dataset;
    const page = new URL('widget.html', api === '' ? script.src : `${api.replace(/\/$/, '')}/static/`);
    const side = position === 'bottom-left' ? 'left' : 'right';
    const lang = document.documentElement.lang;
    if (lang !== '') page.searchParams.set('lang', lang.slice(0, 2).toLowerCase());

    const button = document.createElement('button');
    const frame = document.createElement('iframe');
    const fixed = { position: 'fixed', zIndex: '2147483000', border: '0', [side]: '20px' };

    Object.assign(button.style, fixed, {
        bottom: '20px',
        minHeight: '48px',
        padding: '0 20px',
        borderRadius: '24px',
        background: '#1d4f91',
        color: '#fff',
        font: '600 16px/1 system-ui, sans-serif',
        cursor: 'pointer',
        boxShadow: '0 4px 16px rgb(0 0 0 / 25%)',
    });
    button.type = 'button';
    button.id = 'assay-help-button';
    button.textContent = title;
    button.setAttribute('aria-expanded', 'false');

    Object.assign(frame.style, fixed, {
        bottom: '80px',
        width: 'min(400px, calc(100vw - 40px))',
        height: 'min(640px, calc(100vh - 110px))',
        borderRadius: '12px',
        background: '#fff',
        boxShadow: '0 8px 32px rgb(0 0 0 / 30%)',
        display: 'none',
    });
    frame.id = 'assay-help-frame';
    frame.title = title;
    frame.allow = 'clipboard-write';

    let ready = false;

    function tell(type) {
        if (ready) frame.contentWindow.postMessage({ channel, type }, page.origin);
    }

    function show(open) {
        if (open && !frame.src) frame.src = page.href; /* nothing is loaded before somebody wants help */
        frame.style.display = open ? 'block' : 'none';
        button.setAttribute('aria-expanded', String(open));
        if (open) tell('focus');
        else button.focus();
    }

    button.addEventListener('click', () => show(frame.style.display === 'none'));
    addEventListener('message', ({ data, origin, source }) => {
        if (origin !== page.origin || source !== frame.contentWindow || data?.channel !== channel) return;
        if (data.type === 'init') {
            ready = true;
            tell('focus');
        } else if (data.type === 'close') show(false);
        else if (data.type === 'resize') button.textContent = data.unread > 0 ? `${title} (${data.unread})` : title;
    });
    document.body.append(button, frame);
})();
