import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { docs } from '../../infra/tools/docs.ts';
import { apiKey } from '../helpers/api.ts';
import { chromiumPath, openForm, openPage, startBrowser } from '../helpers/browser.ts';
import { functions, serveFunctions } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { runScript, startService, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const gateway = serveFunctions(functions, { onRequest: serveDocs({ apiKey, host: 'localhost' }) });

const newPet = (categoryId: string) => `{"name":"Rex","categoryId":${categoryId}}`;

const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves a folder below a path, like a host of static files. */
async function hostFolder(folder: string, below: string): Promise<string> {
  const origin = await listen(async (request, response) => {
    const path = (request.url ?? '').replace(below, '') || 'index.html';
    const body = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { 'Content-Type': mediaTypes[extname(path)] ?? '' });
    response.end(body);
  });
  return `${origin}${below}`;
}

/** Adds operations before the others, which then lie outside of the visible part of the page. */
async function addOperations(file: string): Promise<void> {
  const html = await readFile(file, 'utf8');
  const [json = ''] = /(?<=id="configuration">).*?(?=<\/script>)/s.exec(html) ?? [];
  const configuration = JSON.parse(json);
  const { paths } = configuration.content;
  const added = ['one', 'two', 'three'].map((name) => [
    `/pets/${name}`,
    { get: { ...paths['/pets'].get, operationId: name } },
  ]);
  configuration.content.paths = { ...Object.fromEntries(added), ...paths };
  const changed = JSON.stringify(configuration).replaceAll('<', '\\u003c');
  await writeFile(
    file,
    html.replace(json, () => changed),
  );
}

async function typeBody(page: Page, form: Locator, body: string): Promise<void> {
  await form.getByText('Raw', { exact: true }).click();
  await form.locator('.cm-content').filter({ hasText: 'categoryId' }).first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(body);
}

/** Sends the form. Returns what went over the wire, and what is shown of the response. */
async function send(page: Page) {
  const [response] = await Promise.all([
    page.waitForResponse(
      (each) => each.url().includes('/v1/pets') && each.request().method() !== 'OPTIONS',
    ),
    page.getByRole('button', { name: /^Send/ }).first().click(),
  ]);
  const lastId = /"id":(\d+)[^"]*(?!.*"id")/.exec(await response.text())?.[1];
  const display = page.getByRole('region', { name: 'Response', exact: true });
  await display
    .getByText(lastId ? `"id": ${lastId}` : '"code"')
    .first()
    .waitFor();
  return {
    status: response.status(),
    query: new URL(response.url()).search,
    sent: response.request().postData() ?? '',
    displayed: await display.innerText(),
  };
}

describe.skipIf(chromiumPath === undefined)('the documentation page', { timeout: 60_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 30_000);
  afterAll(() => browser?.close());

  it('creates and lists pets with the filled-in key, and never rounds an integer', async () => {
    const { origin } = gateway;
    for (const categoryId of ['-9223372036854775808', '9007199254740993']) {
      const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
      await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: newPet(categoryId) });
    }
    const { page, complaints, origins } = await openPage(browser, `${origin}/`);
    const form = await openForm(page, 'POST', '/pets');

    await typeBody(page, form, newPet('9223372036854775807'));
    const created = await send(page);
    await page.getByRole('button', { name: 'Close Client' }).click();
    await openForm(page, 'GET', '/pets');
    const listed = await send(page);

    expect(created.sent).toBe(newPet('9223372036854775807'));
    expect(created.displayed).toContain('"categoryId": 9223372036854775807,');
    expect(listed.query).toBe('?limit=20');
    expect(listed.displayed.match(/(?<="categoryId": )-?\d+/g)).toEqual([
      '-9223372036854775808',
      '9007199254740993',
      '9223372036854775807',
    ]);
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([origin]));

    // Code samples are exact too, and an edited form sends a string.
    await page.getByRole('button', { name: 'Close Client' }).click();
    await openForm(page, 'POST', '/pets');
    await form.getByText('Code Snippet').click();
    await form.getByRole('button', { name: 'petstore-client' }).click();
    await page.locator('[role=option][id$="-shell/curl"]').click();
    const sample = form.locator('pre');
    await typeBody(page, form, '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}');
    await sample.filter({ hasText: '"categoryId": 9223372036854775807' }).waitFor();
    await form.getByText('Form', { exact: true }).click();
    // Scalar rewrites the body after a change in the form.
    await form.getByRole('checkbox', { name: 'Include status in request' }).click({ force: true });
    await sample.filter({ hasNotText: 'sold' }).waitFor();
    const edited = await send(page);

    expect(JSON.parse(edited.sent)).toEqual({ name: 'Rex', categoryId: '9223372036854775807' });
    expect(edited.status).toBe(400);
    // The browser logs each response of 400.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  });

  it('opens from a file, with the deployments, without a key, with any operations', async () => {
    const folder = await temporaryFolder();
    const { exitCode } = await runScript('docs', ['--out', folder]);
    const file = join(folder, 'index.html');
    await addOperations(file);

    const { page, complaints, origins } = await openPage(browser, `file://${file}`);
    await page.getByRole('heading', { name: 'Quickstart' }).waitFor();
    await openForm(page, 'POST', '/pets');

    expect(exitCode).toBe(0);
    expect(await page.getByRole('dialog').innerText()).toContain('/v1-production/v1');
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set());
    const html = await readFile(file, 'utf8');
    expect(html).not.toMatch(/ps_\w/);
    expect(JSON.parse(await readFile(join(folder, 'openapi.json'), 'utf8'))).toEqual(
      JSON.parse(await readFile('openapi.json', 'utf8')),
    );
    const [script = ''] = /reference-[\da-f]{16}\.js/.exec(html) ?? [];
    expect(gunzipSync(await readFile(join(folder, `${script}.gz`)))).toEqual(
      await readFile(join(folder, script)),
    );
  });

  it('calls a service from a static host, whose origin may read the headers if it is allowed', async () => {
    const folder = await temporaryFolder();
    const address = await hostFolder(folder, '/some/where/');
    const { origin } = new URL(address);
    const service = await startService(['--in-memory', '--cors-origin', origin]);
    await runCommandHere(docs, ['--out', folder, '--server', service.baseAddress]);
    const { page, complaints, origins } = await openPage(browser, address);
    const sent = [`${service.baseAddress}/pets`, service.apiKey] as const;

    const created = await page.evaluate(async ([url, key]) => {
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'from-a-browser',
      };
      const body = '{"name":"Rex","categoryId":7}';
      const { status, headers: received } = await fetch(url, { method: 'POST', headers, body });
      const getPet = await fetch(`${url}/1`, { headers });
      const list = await fetch(`${url}?limit=1`, { headers });
      return {
        status,
        location: received.get('Location'),
        id: received.get('X-Request-Id'),
        dates: [getPet.headers.get('Deprecation'), getPet.headers.get('Sunset')],
        next: list.headers.get('Link'),
      };
    }, sent);
    await page.getByPlaceholder('Token').first().fill(service.apiKey);
    await openForm(page, 'GET', '/pets');
    const listed = await send(page);

    expect(created).toEqual({
      status: 201,
      location: `${service.baseAddress}/pets/1`,
      id: expect.stringMatching(/./),
      dates: [expect.stringMatching(/^@/), expect.stringMatching(/GMT$/)],
      next: expect.stringContaining('rel="next"'),
    });
    expect([listed.status, complaints]).toEqual([200, []]);
    expect(origins).toEqual(new Set([origin, new URL(service.baseAddress).origin]));
    // Any file of another origin will do. The page would take 4 s of CPU time to load.
    const stranger = await openPage(browser, `${await hostFolder(folder, '/')}icon.svg`);
    const refused = stranger.page.evaluate(
      async ([url, key]) =>
        (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status,
      sent,
    );
    await expect(refused).rejects.toThrow('Failed to fetch');
  });
});
