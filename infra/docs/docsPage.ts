import type { DescribedServer } from './describeForPage.ts';

export type DocsPageOptions = {
  /** Filled in for trying; without one the page asks for it. */
  apiKey?: string | undefined;
  /** Of the page's own origin; without any, what is tried goes to the servers of the description. */
  servers?: DescribedServer[] | undefined;
};

/** Writes the HTML of the API reference. It has no script of its own, so its policy can be tight. */
export function docsPage({ apiKey, servers }: DocsPageOptions = {}): string {
  const settings = {
    url: 'openapi.json',
    ...(servers && { servers }),
    ...(apiKey && {
      authentication: {
        preferredSecurityScheme: 'apiKey',
        securitySchemes: { apiKey: { token: apiKey } },
      },
    }),
    ...quiet,
    ...looks,
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(servers)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pet Store</title>
<link rel="icon" href="docs/icon.svg">
</head>
<body>
<noscript>The reference is drawn by a script. The same in JSON: <a href="openapi.json">openapi.json</a></noscript>
<div id="reference"></div>
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll('<', '\\u003c')}</script>
<script src="docs/exactIntegers.js"></script>
<script src="docs/scalar.js"></script>
<script src="docs/showReference.js"></script>
</body>
</html>
`;
}

/** What would send something to Scalar's own hosts, or lead a reader there. */
const quiet = {
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  proxyUrl: '',
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
};

const looks = {
  // A link into the page focuses a whole section, whose outline would be cut to two long lines.
  customCss: '.section:focus { outline: none }',
  orderSchemaPropertiesBy: 'preserve',
};

/** What the page may load, and whom it may talk to: its own origin, and deployments if it offers any. */
export function contentSecurityPolicy(servers: DocsPageOptions['servers']): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Scalar writes style elements and attributes as it draws.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    // The description names deployments by a pattern, so of them no more is known than their scheme.
    servers ? "connect-src 'self'" : "connect-src 'self' https:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
