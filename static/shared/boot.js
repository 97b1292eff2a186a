/*
 * Runs before the first paint, hence a classic script in <head>: decides the language and the
 * colour scheme and marks <html> with them, so that neither flashes, and asks for the catalogues of
 * the language at once. Everything later reads those marks and `assayTexts`.
 */
(function boot() {
    const root = document.documentElement;
    const script = /** @type {HTMLScriptElement} */ (document.currentScript);
    const base = new URL('../', script.src); /* of everything below static/ */
    const [supported, rightToLeft, sections] = ['languages', 'rtl', 'sections'].map((name) =>
        script.dataset[name].split(' ').filter(Boolean),
    );

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
    const { prefix = '', portal = '', api = '' } = script.dataset;
    globalThis.assayPlace = { prefix, portal, api };

    /* The texts of a language: those of all sections that the page reads, in one object. The English
     * in the page makes up for a lost catalogue. */
    globalThis.assayTexts = async (tag) => {
        try {
            const response = await fetch(new URL(`locales/${tag}.json`, base));
            const { pages } = response.ok ? await response.json() : { pages: {} };
            return Object.assign({}, ...sections.map((name) => pages[name]));
        } catch {
            return {};
        }
    };

    globalThis.assayRightToLeft = (tag) => rightToLeft.includes(tag);

    /* The roles of the person signed in, 'support:agent data:viewer', by which the menu shows what is of use
     * (frame.css). No mark: nobody is known, and nothing is hidden. */
    globalThis.assayMarkRoles = (person) => {
        if (person === null) delete root.dataset.roles;
        else
            root.dataset.roles = Object.entries(person.roles)
                .filter(([, role]) => role !== null)
                .map((pair) => pair.join(':'))
                .join(' ');
    };

    function markStored() {
        try {
            globalThis.assayMarkRoles(JSON.parse(stored('assay.person')));
        } catch {
            /* what another version of the pages has kept */
        }
    }

    if (portal === '') markStored();
    const theme = stored('assay.theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;

    /* For its first moments a page shows nothing below a part that is still on its way: content.css. */
    root.dataset.filling = '';
    document.addEventListener('DOMContentLoaded', () => setTimeout(() => delete root.dataset.filling, 800));

    root.lang = chooseLocale();
    root.dir = globalThis.assayRightToLeft(root.lang) ? 'rtl' : 'ltr';
    if (root.lang !== 'en') {
        root.dataset.translating = '';
        globalThis.assayFirstTexts = globalThis.assayTexts(root.lang);
    }
})();
