// Runs in the browser after Scalar.
const { apiKey, ...configuration } = JSON.parse(
  document
    .querySelector('#configuration')
    // `npm start` does not know the address by which the browser reaches it.
    .textContent.replaceAll('BASE_ADDRESS=/', `BASE_ADDRESS=${location.origin}/`),
);
Scalar.createApiReference('#app', {
  ...configuration,
  onLoaded: typeKey,
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

// Scalar renders a chapter when the reader comes near.
new MutationObserver(addBars).observe(document.querySelector('#app'), {
  childList: true,
  subtree: true,
});

/** Names the language of each code block of the guide, and adds a button that copies it. */
function addBars() {
  for (const block of document.querySelectorAll('#app .markdown pre:not(:has(.code-bar))')) {
    const code = block.querySelector('code');
    const language = /language-(\w+)/.exec(code.className)?.[1] ?? 'text';
    const bar = document.createElement('span');
    bar.className = 'code-bar';
    bar.textContent = { sh: 'Shell', ts: 'TypeScript' }[language] ?? language;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    });
    // Browsers give pages without TLS no clipboard.
    if (navigator.clipboard) bar.append(button);
    block.prepend(bar);
  }
}

/** Types the key into its field. A configured key would come back after the reader clears the field. */
function typeKey() {
  if (!apiKey) return;
  const field = document.querySelector('#app input[placeholder=Token]');
  field.value = apiKey;
  field.dispatchEvent(new Event('input'));
}

/** On a phone, the response is below the form. */
function showResponse() {
  document.querySelector('[role=dialog] [aria-label=Response]')?.scrollIntoView();
}
