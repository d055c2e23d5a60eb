// Runs in the browser after Scalar.
takeKey();
addEventListener('hashchange', () => takeKey() && location.reload());
const token = sessionStorage.getItem('apiKey');

Scalar.createApiReference('#app', {
  content: JSON.parse(document.querySelector('#document').textContent),
  ...(token && { authentication: { securitySchemes: { apiKey: { token } } } }),
  // Scalar takes a returned value for the response.
  onResponseReceived: () => void setTimeout(showResponse),
  onSidebarClick: () => setTimeout(closeMenu),
  setPageTitle: ({ title, document: { title: name } }) => (title ? `${title} · ${name}` : name),

  // Scalar writes an int64 as null or as a string in these languages.
  hiddenClients: { php: true, julia: true, objc: true },
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  // It would contain the chapters: the page links to openapi.json instead.
  documentDownloadType: 'none',

  // Nothing goes to other hosts.
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  proxyUrl: '',
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
});
document.querySelector('#loading').remove();

/**
 * Moves the key of the address that `npm start` prints to the storage of this tab.
 *
 * Browsers send a fragment to no server, and the address bar shows it no longer.
 */
function takeKey() {
  const [, key] = /^#key=(\w+)$/.exec(location.hash) ?? [];
  if (!key) return false;
  sessionStorage.setItem('apiKey', key);
  history.replaceState(null, '', location.pathname);
  return true;
}

/** Closes the menu on a phone, which Scalar leaves open over the page after a tap on a tag. */
function closeMenu() {
  const buttons = [...document.querySelectorAll('button')];
  buttons.find(({ textContent }) => textContent.trim() === 'Close Menu')?.click();
}

/** Scrolls to the response on a phone, where Scalar leaves it below the form. */
function showResponse() {
  document.querySelector('[role="dialog"] section[aria-label="Response"]')?.scrollIntoView();
}
