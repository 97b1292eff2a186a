/*
 * Runs before the first paint, hence a classic script in <head>: decides the language and the
 * colour scheme and marks <html> with them, so that neither flashes. Everything later reads those
 * marks.
 */
(function boot() {
    const supported = ['en', 'ru', 'de', 'es', 'fr', 'zh', 'ar'];
    const rightToLeft = ['ar'];
    const root = document.documentElement;

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

    const theme = stored('assay.theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;

    root.lang = chooseLocale();
    root.dir = rightToLeft.includes(root.lang) ? 'rtl' : 'ltr';
    if (root.lang !== 'en') root.dataset.translating = '';
})();
