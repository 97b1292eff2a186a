/*
 * Runs before the first paint, hence a classic script in <head>: decides the language and the
 * colour scheme and marks <html> with them, so that neither flashes, and asks for the catalogues of
 * the language at once. Everything later reads those marks and `assayTexts`.
 */
(function boot() {
    const supported = ['en', 'ru', 'de', 'es', 'fr', 'zh', 'ar'];
    const rightToLeft = ['ar'];
    const root = document.documentElement;
    const script = /** @type {HTMLScriptElement} */ (document.currentScript);
    const base = new URL('../', script.src); /* of everything below static/ */
    const catalogues = script.dataset.catalogues.split(' ').filter(Boolean);

    function stored(key) {
        try {
            return localStorage.getItem(key);
        } catch {
            return null; /* storage may be forbidden; the system's choice then holds */
        }
    }

    function chooseLocale() {
        const asked = new URLSearchParams(location.search).get('lang');
        for (const tag of [asked, stored('assay.locale'), ...navigator.languages]) {
            const primary = (tag ?? '').toLowerCase().split(/[-_]/)[0];
            if (supported.includes(primary)) return primary;
        }
        return 'en';
    }

    globalThis.assayBase = base.href;

    async function catalogue(folder, tag) {
        try {
            const response = await fetch(new URL(`${folder}/${tag}.json`, base));
            return response.ok ? await response.json() : {};
        } catch {
            return {}; /* a lost catalogue is made up for by the English in the page */
        }
    }

    /* The texts of a language: those of all catalogues of the page in one object. */
    globalThis.assayTexts = async (tag) =>
        Object.assign({}, ...(await Promise.all(catalogues.map((name) => catalogue(name, tag)))));

    const theme = stored('assay.theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;

    root.lang = chooseLocale();
    root.dir = rightToLeft.includes(root.lang) ? 'rtl' : 'ltr';
    if (root.lang !== 'en') {
        root.dataset.translating = '';
        globalThis.assayFirstTexts = globalThis.assayTexts(root.lang);
    }
})();
