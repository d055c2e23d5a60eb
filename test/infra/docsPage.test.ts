import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openPage, startBrowser } from '../helpers/browser.ts';
import { listen } from '../helpers/listen.ts';
import { runScript, startService, temporaryFolder } from '../helpers/npmScript.ts';

const bigIntegers = ['9223372036854775807', '-9223372036854775808', '9007199254740993'];

const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves a folder below a path, as a host of static files does. */
async function hostFolder(folder: string, below: string): Promise<string> {
  const origin = await listen(async (request, response) => {
    const path = (request.url ?? '').replace(below, '') || 'index.html';
    const body = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { 'Content-Type': mediaTypes[extname(path)] ?? '' });
    response.end(body);
  });
  return `${origin}${below}`;
}

/** Opens the form that tries an operation. */
async function openForm(page: Page, operation: string): Promise<Locator> {
  await page.getByRole('button', { name: `Test Request (${operation})` }).click();
  return page.getByRole('region', { name: /^Request: / });
}

async function typeBody(page: Page, form: Locator, body: string): Promise<void> {
  await form.getByText('Raw', { exact: true }).click();
  await form.locator('.cm-content').filter({ hasText: 'categoryId' }).first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(body);
}

/** Sends what the form holds. Returns what went over the wire, and what is displayed of the answer. */
async function send(page: Page): Promise<{ query: string; sent: string; displayed: string }> {
  const [response] = await Promise.all([
    page.waitForResponse(/\/v1\/pets/),
    page.getByRole('button', { name: /^Send/ }).first().click(),
  ]);
  const lastId = (await response.text())
    .match(/"id":\d+/g)
    ?.at(-1)
    ?.replace(':', ': ');
  const display = page.getByRole('region', { name: 'Response', exact: true });
  await display
    .getByText(lastId ?? 'code')
    .first()
    .waitFor();
  return {
    query: new URL(response.url()).search,
    sent: response.request().postData() ?? '',
    displayed: await display.innerText(),
  };
}

describe.skipIf(chromiumPath === undefined)('the documentation page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser?.close());

  it('creates and lists pets with the key that is filled in, int64 exact', async () => {
    const { baseAddress } = await startService(['--in-memory']);
    const { origin } = new URL(baseAddress);
    const { page, complaints, origins } = await openPage(browser, `${origin}/`);
    const form = await openForm(page, 'post /pets');

    for (const categoryId of bigIntegers) {
      const body = `{"name":"Rex","categoryId":${categoryId}}`;
      await typeBody(page, form, body);
      const { sent, displayed } = await send(page);

      expect(sent).toBe(body);
      expect(displayed).toContain(`"categoryId": ${categoryId},`);
    }
    await page.getByRole('button', { name: 'Close Client' }).click();
    await openForm(page, 'get /pets');
    const { query, displayed } = await send(page);

    expect(query).toBe('?limit=20');
    expect(displayed.match(/(?<="categoryId": )-?\d+/g)).toEqual(bigIntegers);
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([origin]));
  });

  it('keeps an integer exact through its form and its code sample', async () => {
    const { baseAddress } = await startService(['--in-memory']);
    const { page, complaints } = await openPage(browser, new URL('/', baseAddress).href);
    const form = await openForm(page, 'post /pets');
    await form.getByText('Code Snippet').click();
    const sample = form.locator('pre');
    await typeBody(page, form, '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}');
    await sample.filter({ hasText: '9223372036854775807' }).waitFor();

    await form.getByText('Form', { exact: true }).click();
    // Scalar writes the body anew from the form, once something in it has changed.
    await form.getByRole('checkbox', { name: 'Include status in request' }).click({ force: true });
    await sample.filter({ hasNotText: 'sold' }).waitFor();
    const { sent } = await send(page);

    expect(sent.replaceAll(/\s/g, '')).toBe('{"name":"Rex","categoryId":9223372036854775807}');
    const integersShown = (await form.innerText()).match(/922337203685477\d+/g);
    expect(integersShown).toEqual(['9223372036854775807', '9223372036854775807']);
    expect(complaints).toEqual([]);
  });

  it('loads from a host of static files, with the deployments and without a key', async () => {
    const folder = await temporaryFolder();
    const { exitCode } = await runScript('docs', ['--out', folder]);
    const address = await hostFolder(folder, '/some/where/');

    const { page, complaints, origins } = await openPage(browser, address);
    await openForm(page, 'post /pets');

    expect(exitCode).toBe(0);
    expect(await page.getByRole('dialog').innerText()).toContain('/v1-production/v1');
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([new URL(address).origin]));
  });
});
