/* Saves what the API answers as a file: with the token, which a plain link could not carry. */

/* Hands a blob to the browser under a name. */
export function saveBlob(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/**
 * Fetches `path` and saves it under the name that the answer proposes, else under `name`.
 *
 * @param {{ file: Function }} client
 * @param {string} path
 * @param {{ name?: string } & RequestOptions} options
 */
export async function download(client, path, { name = 'download', ...options } = {}) {
    const file = await client.file(path, options);
    saveBlob(file.blob, file.name ?? name);
}
