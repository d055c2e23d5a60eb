import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { docs } from '../../infra/tools/docs.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import { operationEntries } from '../../lib/operations.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { apiKey } from '../helpers/api.ts';
import {
  chromiumPath,
  closeForm,
  type OpenedPage,
  openForm,
  openPage,
  sendForm,
  startBrowser,
  typeBody,
} from '../helpers/browser.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { startService, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { exactPets, rexFilter } from '../helpers/samplePets.ts';

const gateway = await startGateway(functions, { onRequest: serveDocs({ apiKey }) });

const wcagLevelAA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The parts of Scalar below level AA that no setting changes. */
const faultsOfScalar = {
  'button.group\\/copy-button': 'The button that copies an example has a tooltip, but no name.',
  'li[data-sidebar-id] button[aria-expanded]':
    'The arrow that opens an entry of the sidebar is 22 pixels wide instead of 24.',
};

/** Scalar renders a section when the reader comes near, which takes seconds on a loaded machine. */
const slow = { timeout: 10_000 };

const longNumbersIn = (text: string) => text.match(/-?\d{10,}/g);

const idsOf = (elements: { id: string }[]) => elements.map(({ id }) => id);
const hrefsOf = (links: { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href') ?? '');

describe.skipIf(chromiumPath === undefined)('the documentation page', { timeout: 60_000 }, () => {
  let browser: Browser;
  // Shared, because a page takes 4 s of CPU time to load.
  let opened: OpenedPage;
  beforeAll(async () => {
    browser = await startBrowser();
    opened = await openPage(browser, `${gateway.origin}/`);
    await opened.page.getByRole('heading', { name: 'Quickstart' }).waitFor();
  }, 60_000);
  afterAll(() => browser?.close());

  it('says what the service is before its scripts have run', async () => {
    const [summary] = openApiDocument.info.description.split('\n');
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();

    await page.goto(gateway.origin);

    expect(await page.getByRole('main').innerText()).toContain(summary);
    expect(await page.getByRole('link', { name: 'openapi.json' }).count()).toBe(1);
  });

  it('has the chapters of docs/guide in its sidebar, and each link leads somewhere', async () => {
    const { page } = opened;
    const chapters = globSync('docs/guide/*.md').map((file) => basename(file, '.md'));

    for (const chapter of chapters) {
      await page.locator(`li[data-sidebar-id] a[href="#tag/${chapter}"]`).click();
      const section = page.locator(`[id$="/tag/${chapter}"]`);
      await expect.poll(async () => (await section.boundingBox())?.y, slow).toBeLessThan(450);
    }
    const targets = await page.locator('[id*="/tag/"]').evaluateAll(idsOf);
    const links = await page.locator('main a[href^="#"]').evaluateAll(hrefsOf);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !targets.some((id) => id.endsWith(link.slice(1))))).toEqual([]);
  });

  it('meets WCAG 2.2 AA in both color schemes, and fits a phone', async () => {
    const { page } = opened;
    // The test above made Scalar render each chapter. The wide page comes last, because the other tests use its sidebar.
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
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it('can be used by keyboard: skip link, search and theme', async () => {
    const { page } = opened;
    await page.locator('.skip-link').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('main').evaluate('document.activeElement.tagName')).toBe('MAIN');

    for (const [text, chapter] of [
      ['429', 'rate-limits'],
      ['API key', 'authentication'],
      ['python', 'int64'],
      ['retry', 'retries'],
    ] as const) {
      await page.getByRole('button', { name: 'Open Search' }).click();
      await page.keyboard.type(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`#tag/${chapter}$`));
    }
    expect(await page.getByRole('button', { name: 'Set dark mode' }).count()).toBe(1);
  });

  it('copies a block of the guide, with the address and the key of this service', async () => {
    const { page } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('li[data-sidebar-id] a[href="#tag/quickstart"]').click();
    const block = page.locator('pre', { hasText: 'export BASE_ADDRESS' });

    await block.getByRole('button', { name: 'Copy' }).click();

    await block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await block.innerText()).toMatch(/^Shell/);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `export BASE_ADDRESS=${gateway.baseAddress}\nexport API_KEY=${apiKey}\n`,
    );
  });

  it('shows the samples, curl first, and every response of an operation', async () => {
    const { page } = opened;
    for (const [, { method, path, successStatus }] of operationEntries) {
      const tag = path.split('/')[1];
      await page.locator(`a[href="#tag/${tag}/${method}${path}"]`).first().click();
      const section = page.locator(`[id$="/tag/${tag}/${method}${path}"]`);
      const picker = section.getByTestId('client-picker');
      await expect.poll(() => picker.innerText(), slow).toBe('curl');
      await picker.click();
      const labels = () => page.getByRole('option').allInnerTexts();
      await expect.poll(labels, slow).toEqual(['curl', 'petstore-client', 'fetch', 'Python']);
      await page.keyboard.press('Escape');
      for (const status of [successStatus, 503, 504]) {
        await section.getByRole('tab', { name: `Status: ${status}` }).waitFor();
      }
    }
  });

  it('describes each parameter once', async () => {
    const { page } = opened;
    await page.locator('a[href="#tag/pets/GET/pets"]').first().click();
    const section = page.locator('[id$="/tag/pets/GET/pets"]');

    const { paths, components } = openApiDocument;
    const filter = paths['/pets'].get.parameters.find(({ name }) => name in rexFilter);
    await section.getByText(filter?.description ?? '').waitFor();
    expect(await section.getByText(components.schemas.PetStatus.description).count()).toBe(0);
  });

  it('creates and lists pets with the filled-in key, and never rounds an integer', async () => {
    const { page, complaints, origins } = opened;
    const pets = exactPets.map(stringifyExactJson);
    const form = await openForm(page, 'post /pets');
    const bodies = [];
    for (const pet of pets) {
      await typeBody(page, form, pet);
      const { sent, displayed, idempotencyKey } = await sendForm(page);
      expect(longNumbersIn(displayed)).toEqual(longNumbersIn(pet));
      // The same key with another body would get 422.
      expect(idempotencyKey).toBeUndefined();
      bodies.push(sent);
    }
    await closeForm(page);
    await openForm(page, 'get /pets');
    const listed = await sendForm(page);
    await closeForm(page);

    expect(bodies).toEqual(pets);
    expect(listed.query).toBe('?limit=20');
    expect(longNumbersIn(listed.displayed)).toEqual(longNumbersIn(String(pets)));
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([gateway.origin]));
  });

  it('has no form that rounds integers, and a key that is cleared stays cleared', async () => {
    const { page } = opened;
    const form = await openForm(page, 'post /pets');
    expect(await form.getByRole('button', { name: 'Form', exact: true }).isVisible()).toBe(false);

    await form.getByRole('button', { name: 'Clear Value' }).click();
    const { status } = await sendForm(page);
    await closeForm(page);
    await openForm(page, 'get /pets');
    const listed = await sendForm(page);
    await closeForm(page);

    expect([status, listed.status]).toEqual([401, 401]);
  });

  it('turns tables into lists and wraps the message of an error on a phone', async () => {
    const { page } = await openPage(browser, `${gateway.origin}/#tag/errors`, 390);
    const cell = page.getByRole('cell', { name: '400', exact: true });
    await cell.waitFor();
    const row = await cell.locator('..').boundingBox();
    const status = await cell.boundingBox();
    // Four cells of one or two lines, each as wide as the list. In a table, a cell is as high as its row.
    expect(row?.height).toBeLessThan(150);
    expect(status?.height).toBeLessThan(30);
    expect((row?.x ?? 0) + (row?.width ?? 0)).toBeLessThanOrEqual(390);

    await page.goto(`${gateway.origin}/#tag/pets/GET/pets`);
    await page.getByRole('button', { name: 'Test Request (get /pets)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear Value' }).click();
    await sendForm(page);
    const message = page
      .getByRole('region', { name: 'Response', exact: true })
      .locator('.cm-line', {
        hasText: '"message"',
      });
    expect(await message.evaluate((line) => line.scrollWidth - line.clientWidth)).toBe(0);
    const box = await message.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });

  it('opens from a file, and calls a service that allows its origin', async () => {
    const folder = await temporaryFolder();
    // Browsers send `null` for a page that was opened from a file.
    const service = await startService(['--in-memory', '--seed', '1', '--cors-origin', 'null']);
    await runCommandHere(docs, ['--out', folder, '--server', service.baseAddress]);
    const { page, complaints, origins } = await openPage(
      browser,
      `file://${join(folder, 'index.html')}`,
    );

    await page.getByPlaceholder('Token').first().fill(service.apiKey);
    await openForm(page, 'get /pets');
    await page.setViewportSize({ width: 390, height: 844 });
    const listed = await sendForm(page);

    expect([listed.status, complaints]).toEqual([200, []]);
    const response = page.getByRole('region', { name: 'Response', exact: true });
    await expect.poll(async () => (await response.boundingBox())?.y, slow).toBeLessThan(600);
    expect(origins).toEqual(new Set([new URL(service.baseAddress).origin]));
  });
});
