import { existsSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { serveDocs } from '../../docs/page/serveDocs.ts';
import { maxInt64 } from '../../lib/int64.ts';
import { createLocalGateway } from '../../local/localGateway.ts';
import { apiKey } from '../helpers/api.ts';
import { functions } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { reportSkipped } from '../helpers/reportSkipped.ts';
import { exactPets, petText } from '../helpers/samplePets.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const folders = process.env.PATH?.split(delimiter) ?? [];
const installed = folders.flatMap((folder) => names.map((name) => join(folder, name)));
const chromiumPath = [process.env.CHROMIUM_PATH, ...installed].find(
  (path) => path && existsSync(path),
);

if (chromiumPath === undefined) {
  reportSkipped(
    'The test of the documentation page needs Chromium. Install it, or set CHROMIUM_PATH.',
  );
}

const gateway = createLocalGateway(functions, { onRequest: serveDocs() });

// A proxy that strips a prefix of the path, as those of online editors do.
const prefix = '/proxy/3000';
const proxy: RequestListener = (request, response) => {
  if (!request.url?.startsWith(`${prefix}/`)) return response.writeHead(404).end();
  request.url = request.url.slice(prefix.length);
  return gateway.emit('request', request, response);
};
const origin = await listen(createServer(proxy), afterAll);

const body = petText(exactPets.at(-1));

it.skipIf(!chromiumPath)(
  'The documentation page takes the key from its address, and sends, shows and samples all digits of an int64, to its own origin only, below the prefix of a proxy',
  async () => {
    const browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      // Containers often run as root, where Chromium needs --no-sandbox.
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      timeout: 0,
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    // The limit of the test is enough.
    page.setDefaultTimeout(0);
    const complaints: string[] = [];
    const origins = new Set<string>();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => origins.add(new URL(request.url()).origin));

    // A key of an earlier `npm start`, and then, in the same tab, that of this one.
    await page.goto(`${origin}${prefix}/#key=ps_local_earlier`);
    await Promise.all([page.waitForEvent('load'), page.goto(`${origin}${prefix}/#key=${apiKey}`)]);
    expect(page.url()).not.toContain(apiKey);
    await page.evaluate("location.hash = '#tag/pets/POST/pets'");
    await page.getByRole('button', { name: 'Test Request (post /pets)' }).click();
    const form = page.getByRole('region', { name: /^Request: / });
    await form.locator('.cm-content', { hasText: '{' }).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(body);
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === 'POST'),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ]);

    expect(response.status()).toBe(201);
    expect(response.request().postData()).toBe(body);
    // The example has one, which fits one body only.
    expect(response.request().headers()).not.toHaveProperty('idempotency-key');
    await page
      .getByRole('region', { name: 'Response', exact: true })
      .getByText(`${maxInt64}`)
      .first()
      .waitFor();
    await form.getByRole('button', { name: /^Code Snippet/ }).click();
    const sample = form.getByRole('region', { name: /^Code Snippet/ }).locator('code');
    // Quotation marks around the digits would make it a string.
    await expect.poll(() => sample.textContent()).toMatch(RegExp(`[^"'\\d]${maxInt64}[^"'\\d]`));
    // It would send an int64 as a string.
    expect(await form.getByRole('button', { name: 'Form', exact: true }).isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([origin]));
  },
);
