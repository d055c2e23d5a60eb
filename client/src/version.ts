/** The version in `package.json`, which a browser cannot import. A test compares them. */
export const version = '1.1.0';
