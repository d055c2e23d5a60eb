import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { isCreation } from '../../infra/core/apiMethods.ts';
import { minInt64, stringifyExactJson } from '../../lib/int64.ts';
import {
  type Operation,
  type OperationName,
  operationEntries,
  operations,
} from '../../lib/operations.ts';
import { counterKey } from '../../lib/tables.ts';
import { storeItem } from './database.ts';
import { creations, exampleRequest } from './exampleRequests.ts';
import { idIn } from './samplePets.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const searched = process.env.PATH?.split(delimiter) ?? [];
const candidates = [
  process.env.CHROMIUM_PATH,
  ...searched.flatMap((folder) => names.map((name) => join(folder, name))),
];

/** The Chromium of this machine, if it has one. */
export const chromiumPath = candidates.find((path) => path && existsSync(path));

if (chromiumPath === undefined) {
  process.stderr.write(
    '\n*** SKIPPED: the browser tests of the documentation page need Chromium. Install it, or set CHROMIUM_PATH. ***\n\n',
  );
}

/** Scalar renders a section when the reader comes near, which takes seconds on a loaded machine. */
export const slow = { timeout: 10_000 };

export type OpenedPage = Awaited<ReturnType<typeof openPage>>;

/** Opens an address in a browser with a new profile. */
export async function openPage(address: string, options: BrowserContextOptions) {
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    // Containers often run as root, where Chromium needs --no-sandbox.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await browser.newPage(options);
  /** Errors and warnings in the console, and exceptions. */
  const complaints: string[] = [];
  /** The origins of all requests. */
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http')) origins.add(origin);
  });
  await page.goto(address);
  return { page, complaints, origins, close: () => browser.close() };
}

/** Opens the request window of an operation, and returns its form. */
export async function openForm(page: Page, { method, path }: Operation): Promise<Locator> {
  const tag = path.split('/{')[0]?.split('/').at(-1);
  await page.evaluate(`location.hash = '#tag/${tag}/${method}${path}'`);
  await page
    .getByRole('button', { name: `Test Request (${method.toLowerCase()} ${path})`, exact: true })
    .click();
  return page.getByRole('region', { name: /^Request: / });
}

/** Closes the request window, which stays in the page while it fades. */
export async function closeForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Close Client' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Replaces the body of a form by the example with this integer in its int64 fields. Returns its text. */
export async function typeBody(
  page: Page,
  form: Locator,
  name: OperationName,
  integer: bigint,
): Promise<string> {
  const { input }: Operation = operations[name];
  const { shape = {} } = Object(input.body);
  const int64Fields = Object.keys(shape).filter((field) => shape[field].safeParse(integer).success);
  const changed = Object.fromEntries(int64Fields.map((field) => [field, integer]));
  const text = stringifyExactJson({ ...Object(exampleRequest(name).body), ...changed });
  await typeInto(page, form.locator('.cm-content', { hasText: '{' }), text);
  return text;
}

async function typeInto(page: Page, editor: Locator, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

const longNumbersIn = (text: string) => text.match(/-?\d{10,}/g) ?? [];

/** Sends each request from its form, and compares what goes over the wire with what is shown. */
export async function sendEachRequest({ page, complaints, origins }: OpenedPage, origin: string) {
  /** The id of what was added, by the path of its collection. */
  const ids = new Map<string, string>();
  let exactResponses = 0;
  // A double rounds each id from here on.
  await storeItem({ pk: counterKey, lastId: 2n ** 53n });
  const others = operationEntries.map(([name]) => name).filter((name) => !creations.includes(name));
  for (const name of [...creations, ...others]) {
    const operation: Operation = operations[name];
    const { path, input, output, successStatus } = operation;
    if (!output) continue;
    const form = await openForm(page, operation);
    const pathIds = [...path.matchAll(/\/\{/g)].map(({ index }) => ids.get(path.slice(0, index)));
    for (const [index, id = ''] of pathIds.entries()) {
      await typeInto(page, form.getByRole('combobox', { name: 'Value' }).nth(index), id);
    }
    const sentPath = path.replaceAll(/\{\w+\}/g, () => pathIds.shift() ?? '');
    const body = input.body ? await typeBody(page, form, name, minInt64) : null;
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === operation.method),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    const received = await response.text();

    // Neither a filter nor the Idempotency-Key of the example, which fits one body only.
    expect(response.url()).toBe(`${origin}/v1${sentPath}`);
    expect([response.status(), response.request().postData()], `${name}: ${received}`).toEqual([
      successStatus,
      body,
    ]);
    if (isCreation(operation)) ids.set(path, idIn(received));
    const display = page.getByRole('region', { name: 'Response', exact: true });
    const shown = expect.poll(async () => longNumbersIn(await display.innerText()), slow);
    await shown.toEqual(longNumbersIn(received));
    if (longNumbersIn(received).some((one) => !Number.isSafeInteger(Number(one))))
      exactResponses += 1;
    // `Form` would send int64 as strings.
    expect(await form.getByRole('button', { name: 'Form', exact: true }).isVisible()).toBe(false);
    await closeForm(page);
  }
  expect(exactResponses, 'responses with an int64 that a double rounds').toBeGreaterThan(1);
  expect(complaints).toEqual([]);
  expect(origins).toEqual(new Set([origin]));
}

const wcagLevelAA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Below level AA, and no setting changes it: these arrows are 22 pixels wide instead of 24. */
const arrowsOfMenu = 'li[data-sidebar-id] button[aria-expanded]';

/** Expects that each element meets level AA of WCAG 2.2, and that nothing is wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  // Results with what passed, sent to a second page, would take half of the CPU time.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], preload: false })
    .withTags(wcagLevelAA)
    .exclude(arrowsOfMenu)
    .analyze();
  const elements = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  expect(elements, 'docs/page/page.css styles the page').toEqual([]);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBe(page.viewportSize()?.width);
}
