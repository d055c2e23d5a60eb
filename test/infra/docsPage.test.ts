import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { docs } from '../../infra/tools/docs.ts';
import { errorStatuses } from '../../lib/errors.ts';
import { apiKey } from '../helpers/api.ts';
import {
  chromiumPath,
  type OpenedPage,
  openForm,
  openPage,
  sendForm,
  startBrowser,
  typeBody,
} from '../helpers/browser.ts';
import { functions, serveFunctions } from '../helpers/gateway.ts';
import { startService, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// As long as the address of a stage, which does not fit on a narrow screen.
const host = `${'very-long-name.'.repeat(6)}localhost`;
const gateway = serveFunctions(functions, { onRequest: serveDocs({ apiKey, host }) });
const pageOrigin = () => gateway.origin.replace('localhost', host);

const wcagLevelAA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The parts of Scalar below level AA that no setting changes. */
const faultsOfScalar = {
  'button.group\\/copy-button': 'The button that copies an example has a tooltip, but no name.',
  'li[data-sidebar-id] button[aria-expanded]':
    'The arrow that opens an entry of the sidebar is 22 pixels wide instead of 24.',
};

const idsOf = (elements: { id: string }[]) => elements.map(({ id }) => id);
const hrefsOf = (links: { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href') ?? '');

const newPet = (categoryId: string) => `{"name":"Rex","categoryId":${categoryId}}`;

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

/** Reads the example of the Idempotency-Key in the form that creates a pet. */
const exampleKeyIn = (form: Locator) =>
  form.getByText(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/).innerText();

describe.skipIf(chromiumPath === undefined)('the documentation page', { timeout: 60_000 }, () => {
  let browser: Browser;
  // Shared, because a page takes 4 s of CPU time to load.
  let opened: OpenedPage;
  let exampleKey: string;
  beforeAll(async () => {
    browser = await startBrowser();
    opened = await openPage(browser, `${pageOrigin()}/#tag/pets/POST/pets`);
    await opened.page.getByText("from 'petstore-client'").nth(1).waitFor();
  }, 60_000);
  afterAll(() => browser?.close());

  it('meets WCAG 2.2 AA in light and dark colors, on wide and narrow screens', async () => {
    const { page } = opened;
    // The wide page comes last, because the other tests use its sidebar.
    for (const [colorScheme, width] of [
      ['dark', 390],
      ['light', 1440],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.locator(`body.${colorScheme}-mode`).waitFor();
      // Results with what passed, sent to a second page, would take half of the CPU time.
      const faults = new AxeBuilder({ page })
        .setLegacyMode()
        .options({ resultTypes: ['violations'] })
        .withTags(wcagLevelAA);
      for (const selector of Object.keys(faultsOfScalar)) faults.exclude(selector);
      const { violations } = await faults.analyze();

      expect(
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
        `${colorScheme}, ${width} pixels wide`,
      ).toEqual([]);
    }
  });

  it('has the chapters of docs/guide in its sidebar, and each link in them leads somewhere', async () => {
    const { page } = opened;
    await page.getByRole('heading', { name: 'Changelog' }).waitFor();
    const chapters = globSync('docs/guide/*.md').map((file) => basename(file, '.md'));
    const entryOf = (slug: string) =>
      page.locator(`li[data-sidebar-id] a[href="#description/${slug}"]`);

    for (const chapter of chapters) await entryOf(chapter).waitFor();
    expect(chapters).toHaveLength(8);
    // A link to an error needs only its code.
    await entryOf('errors').click();
    for (const code of Object.keys(errorStatuses)) {
      await entryOf(code.replaceAll('_', '-')).waitFor();
    }
    const headings = await page.locator('[id*="/description/"]').evaluateAll(idsOf);
    const links = await page.locator('a[href^="#description/"]').evaluateAll(hrefsOf);
    expect(links.filter((link) => !headings.some((id) => id.endsWith(link.slice(1))))).toEqual([]);
  });

  it('shows how petstore-client sends each request, as the first sample', async () => {
    const { page } = opened;
    for (const operation of ['GET/pets', 'POST/pets', 'GET/pets/{petId}']) {
      await page.locator(`a[href="#tag/pets/${operation}"]`).first().click();
      const section = page.locator(`[id$="/tag/pets/${operation}"]`);
      await section.getByText("from 'petstore-client'").waitFor();
    }
  });

  it('creates and lists pets with the filled-in key, and never rounds an integer', async () => {
    const { page, complaints, origins } = opened;
    for (const categoryId of ['-9223372036854775808', '9007199254740993']) {
      const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
      await fetch(`${gateway.origin}/v1/pets`, {
        method: 'POST',
        headers,
        body: newPet(categoryId),
      });
    }
    const form = await openForm(page, 'POST', '/pets');
    exampleKey = await exampleKeyIn(form);

    await typeBody(page, form, newPet('9223372036854775807'));
    const created = await sendForm(page);
    await page.getByRole('button', { name: 'Close Client' }).click();
    await openForm(page, 'GET', '/pets');
    const listed = await sendForm(page);

    expect(created.sent).toBe(newPet('9223372036854775807'));
    expect(created.displayed).toContain('"categoryId": 9223372036854775807,');
    expect(listed.query).toBe('?limit=20');
    expect(listed.displayed.match(/(?<="categoryId": )-?\d+/g)).toEqual([
      '-9223372036854775808',
      '9007199254740993',
      '9223372036854775807',
    ]);
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([pageOrigin()]));

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
    const edited = await sendForm(page);

    expect(JSON.parse(edited.sent)).toEqual({ name: 'Rex', categoryId: '9223372036854775807' });
    expect(edited.status).toBe(400);
    // The browser logs each response of 400.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  });

  it('opens from a file, with any operations, and calls a service that allows its origin', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'index.html');
    // Browsers send `null` for a page that was opened from a file.
    const service = await startService(['--in-memory', '--cors-origin', 'null']);
    await runCommandHere(docs, ['--out', folder, '--server', service.baseAddress]);
    await addOperations(file);
    const { page, complaints, origins } = await openPage(browser, `file://${file}`);
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
    const listed = await sendForm(page);
    await page.getByRole('button', { name: 'Close Client' }).click();
    const form = await openForm(page, 'POST', '/pets');

    expect(created).toEqual({
      status: 201,
      location: `${service.baseAddress}/pets/1`,
      id: expect.stringMatching(/./),
      dates: [expect.stringMatching(/^@/), expect.stringMatching(/GMT$/)],
      next: expect.stringContaining('rel="next"'),
    });
    expect([listed.status, complaints]).toEqual([200, []]);
    expect(origins).toEqual(new Set([new URL(service.baseAddress).origin]));
    // A page makes a new example each time it opens. No service has seen it.
    expect(await exampleKeyIn(form)).not.toBe(exampleKey);
    expect(await (await fetch(gateway.origin)).text()).not.toContain(exampleKey);
    expect(await readFile('README.md', 'utf8')).not.toContain(exampleKey);
    // Any page of another origin will do.
    const stranger = await openPage(browser, `${gateway.origin}/icon.svg`);
    const refused = stranger.page.evaluate(
      async ([url, key]) =>
        (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status,
      sent,
    );
    await expect(refused).rejects.toThrow('Failed to fetch');
  });
});

describe('npm run docs', () => {
  it('writes a page with the deployments and without a key, and its script compressed', async () => {
    const folder = await temporaryFolder();

    const { exitCode } = await runCommandHere(docs, ['--out', folder]);

    expect(exitCode).toBe(0);
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    expect(html).toContain('/v1-production/v1');
    expect(html).not.toMatch(/ps_\w/);
    expect(JSON.parse(await readFile(join(folder, 'openapi.json'), 'utf8'))).toEqual(
      JSON.parse(await readFile('openapi.json', 'utf8')),
    );
    const [script = ''] = /reference-[\da-f]{16}\.js/.exec(html) ?? [];
    expect(gunzipSync(await readFile(join(folder, `${script}.gz`)))).toEqual(
      await readFile(join(folder, script)),
    );
  });
});
