/* What the sign-in page reads for the reader's eyes only; the API alone decides who may do what. */

/* Name and role of an access token; null for anything that is none. */
export function personOf(token) {
    try {
        const body = token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/');
        const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
        const claims = JSON.parse(new TextDecoder().decode(bytes));
        return { name: String(claims.sub), role: String(claims.role) };
    } catch {
        return null;
    }
}

/* Where to go afterwards: only a path of this very host, else `usual`. */
export function nextAddress(next, usual) {
    return /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : usual;
}
