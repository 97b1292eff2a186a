/* Where to go after signing in: a path of this origin, whatever the address says. */

/* The page that asked for a sign-in (`next`), else the home page. */
export function nextPath(search = location.search, origin = location.origin) {
    const wanted = new URLSearchParams(search).get('next');
    if (!wanted?.startsWith('/')) return '/';
    const url = new URL(wanted, origin);
    // A path that begins with // is another host to a browser: /.//host becomes one.
    const isElsewhere = url.origin !== origin || url.pathname.startsWith('//');
    const isSignIn = url.pathname === '/sign-in';
    return !isElsewhere && !isSignIn ? url.pathname + url.search + url.hash : '/';
}
