import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { Operation } from '../../lib/operations.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const searched = process.env.PATH?.split(delimiter) ?? [];
const candidates = [
  process.env.CHROMIUM_PATH,
  ...searched.flatMap((folder) => names.map((name) => join(folder, name))),
];

/** The Chromium of this machine, if it has one. */
export const chromiumPath = candidates.find((path) => path && isExecutable(path));

if (chromiumPath === undefined) {
  process.stderr.write(
    '\n*** SKIPPED: the browser tests of the documentation page need Chromium. Install it, or set CHROMIUM_PATH. ***\n\n',
  );
}

export type OpenedPage = {
  page: Page;
  /** Errors and warnings in the console, and exceptions. */
  complaints: string[];
  /** The origins of all requests. */
  origins: Set<string>;
};

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    // Containers often run as root, where Chromium needs --no-sandbox.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** Opens an address in a new profile, which is deleted with the browser. */
export async function openPage(
  browser: Browser,
  address: string,
  width = 1440,
): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, hasTouch: true });
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

/** Opens the request window of an operation, and returns its form. */
export async function openForm(page: Page, { method, path }: Operation): Promise<Locator> {
  const [, tag] = path.split('/');
  await page.evaluate(`location.hash = '#tag/${tag}/${method}${path}'`);
  await page
    .getByRole('button', { name: `Test Request (${method.toLowerCase()} ${path})`, exact: true })
    .click();
  return page.getByRole('region', { name: /^Request: / });
}

export function closeForm(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Close Client' }).click();
}

/** Replaces the text of an editor. */
export async function typeInto(page: Page, editor: Locator, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

/** Sends the form. Returns what went over the wire, and what is shown of the response. */
export async function sendForm(page: Page) {
  const [response] = await Promise.all([
    page.waitForResponse(
      (each) => each.url().includes('/v1/') && each.request().method() !== 'OPTIONS',
    ),
    page.getByRole('button', { name: /^Send/ }).first().click(),
  ]);
  const text = await response.text();
  const display = page.getByRole('region', { name: 'Response', exact: true });
  const lastId = /"id":(\d+)[^"]*(?!.*"id")/.exec(text)?.[1];
  await display.getByText(`"id": ${lastId}`).first().waitFor();
  return {
    status: response.status(),
    url: response.url(),
    sent: response.request().postData() ?? '',
    received: text,
    displayed: await display.innerText(),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
