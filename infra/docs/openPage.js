// Runs in the browser after Scalar.
const configuration = document.querySelector('#configuration').textContent;
const exampleKey = document.querySelector('#app').dataset.exampleKey;

// A service that has seen the example key would respond with 422 to another body.
// Pages of plain HTTP have no `crypto.randomUUID`.
const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('');
const freshKey = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

Scalar.createApiReference('#app', JSON.parse(configuration.replaceAll(exampleKey, freshKey)));
