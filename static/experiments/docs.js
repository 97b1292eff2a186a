/* The interactive description of the API: Swagger UI on /openapi.json of this origin. */
import { accessToken } from '/shared/api.js';
import { showShell } from '/shared/shell.js';
import { onTheme } from '/shared/theme.js';

/* A token given to another page of this tab is used here as well. */
function withToken(request) {
    const token = accessToken();
    const sameOrigin = new URL(request.url, location.href).origin === location.origin;
    if (token !== null && sameOrigin && !request.headers.Authorization)
        request.headers.Authorization = `Bearer ${token}`;
    return request;
}

function start() {
    showShell();
    onTheme((theme) => document.documentElement.classList.toggle('dark-mode', theme === 'dark'));
    globalThis.SwaggerUIBundle({
        url: '/openapi.json',
        dom_id: '#viewer',
        presets: [globalThis.SwaggerUIBundle.presets.apis],
        layout: 'BaseLayout',
        deepLinking: true,
        docExpansion: 'list',
        defaultModelsExpandDepth: 0,
        displayRequestDuration: true,
        filter: true,
        validatorUrl: null,
        requestInterceptor: withToken,
    });
}

start();
