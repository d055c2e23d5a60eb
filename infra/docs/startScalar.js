// Runs in the browser after Scalar.
const configuration = document.querySelector('#configuration').textContent;
Scalar.createApiReference('#app', {
  ...JSON.parse(configuration),
  onResponseReceived: showResponse,
});
document.querySelector('#loading').remove();

// Scalar routes by hash, so the link cannot name its target.
document.querySelector('.skip-link').addEventListener('click', (event) => {
  event.preventDefault();
  const text = document.querySelector('main');
  text.tabIndex = -1;
  text.focus();
});

// Scalar's search opens a hit only after an arrow key selected it.
document.addEventListener(
  'keydown',
  ({ key, target }) => {
    const isSearch = target.role === 'combobox' && target.closest('[role=dialog]');
    if (key !== 'Enter' || !isSearch || target.hasAttribute('aria-activedescendant')) return;
    target.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown' }));
  },
  { capture: true },
);

/** On a phone, the response is below the form. */
function showResponse() {
  document.querySelector('[role=dialog] [aria-label=Response]')?.scrollIntoView();
}
