// Runs in the browser after Scalar.
takeKey();
addEventListener('hashchange', () => takeKey() && location.reload());
const token = sessionStorage.getItem('apiKey');

const content = JSON.parse(document.querySelector('#document').textContent);
// Scalar would resolve a relative server against the root of the origin.
content.servers[0].url = new URL(content.servers[0].url, location.href).href;

Scalar.createApiReference('#app', {
  content,
  ...(token && { authentication: { securitySchemes: { apiKey: { token } } } }),
  setPageTitle: ({ title, document: { title: name } }) => (title ? `${title} · ${name}` : name),

  // Scalar writes an int64 as null or as a string in these languages.
  hiddenClients: { php: true, julia: true, objc: true },
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  // The description links to openapi.json instead, which names this machine by its absolute address.
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

/**
 * Moves the key from the address that `npm start` prints to the storage of this tab.
 *
 * The key stands after the `#`, a part that browsers never send. The address bar no longer shows it then.
 */
function takeKey() {
  const [, key] = /^#key=(\w+)$/.exec(location.hash) ?? [];
  if (!key) return false;
  sessionStorage.setItem('apiKey', key);
  history.replaceState(null, '', location.pathname);
  return true;
}
