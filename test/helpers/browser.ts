import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const searched = process.env.PATH?.split(delimiter) ?? [];
const candidates = [
  process.env.CHROMIUM_PATH,
  ...searched.flatMap((folder) => names.map((name) => join(folder, name))),
];

/** The Chromium of this machine; undefined, and said so, where it has none. */
export const chromiumPath = candidates.find((path) => path && isExecutable(path));

if (chromiumPath === undefined) {
  process.stderr.write(
    '\n*** SKIPPED: the documentation page is not tested in a browser, because this machine has no Chromium. Install it, or name it in CHROMIUM_PATH. ***\n\n',
  );
}

/** A page, and what a person would not see of it. */
export type OpenedPage = {
  page: Page;
  /** Errors and warnings of the console, and exceptions. */
  complaints: string[];
  /** The origins that the page sent a request to. */
  origins: Set<string>;
};

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      '--no-sandbox', // or it does not start for root, which a container's user often is
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Opens an address in a profile of its own, which is gone after the test. */
export async function openPage(browser: Browser, address: string): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const opened: OpenedPage = { page, complaints: [], origins: new Set() };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) opened.complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => opened.complaints.push(message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http')) opened.origins.add(origin);
  });
  await page.goto(address);
  return opened;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
