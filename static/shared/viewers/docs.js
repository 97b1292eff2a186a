/* The interactive description of the API: Swagger UI on /openapi.json of this origin. */
import { accessToken } from '../ui/session.js';
import '../shell.js';
import { address } from '../place.js';
import { onTheme } from '../theme.js';

/* A token given to another page of this tab is used here as well. */
function withToken(request) {
    const token = accessToken();
    const sameOrigin = new URL(request.url, location.href).origin === location.origin;
    if (token !== null && sameOrigin && !request.headers.Authorization)
        request.headers.Authorization = `Bearer ${token}`;
    return request;
}

function start() {
    onTheme((theme) => document.documentElement.classList.toggle('dark-mode', theme === 'dark'));
    globalThis.SwaggerUIBundle({
        url: address('/openapi.json'),
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
