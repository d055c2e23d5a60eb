// Runs in the browser, after Scalar, whose global it calls: a script in the page itself would need a
// looser Content-Security-Policy.
const settings = JSON.parse(document.getElementById('settings').textContent);
globalThis.Scalar.createApiReference('#reference', settings);
