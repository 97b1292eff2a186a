/* Lists that people write into one field. */

/* The names in "one, two"; none where nothing is written. */
export function namesOf(/** @type {string | null | undefined} */ text) {
    return (text ?? '').split(',').map((name) => name.trim()).filter(Boolean);
}
