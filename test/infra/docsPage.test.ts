import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientSamples } from '../../infra/docs/clientSamples.ts';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { docs } from '../../infra/tools/docs.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import { operationEntries } from '../../lib/operations.ts';
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
import { petWithInteger } from '../helpers/samplePets.ts';

const gateway = await startGateway(functions, { onRequest: serveDocs({ apiKey }) });

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

describe.skipIf(chromiumPath === undefined)('the documentation page', { timeout: 60_000 }, () => {
  let browser: Browser;
  // Shared, because a page takes 4 s of CPU time to load.
  let opened: OpenedPage;
  beforeAll(async () => {
    browser = await startBrowser();
    opened = await openPage(browser, `${gateway.origin}/`);
    await opened.page.getByRole('heading', { name: 'Changelog' }).waitFor();
  }, 60_000);
  afterAll(() => browser?.close());

  it('says what the service is before its scripts have run', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();

    await page.goto(gateway.origin);

    expect(await page.getByRole('main').innerText()).toMatch(/The pet store service .+ over HTTP/);
    expect(await page.getByRole('link', { name: 'openapi.json' }).count()).toBe(1);
  });

  it('meets WCAG 2.2 AA in both color schemes, and fits a phone', async () => {
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
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it('has the chapters of docs/guide in its sidebar, and each link leads somewhere', async () => {
    const { page } = opened;
    const chapters = globSync('docs/guide/*.md').map((file) => basename(file, '.md'));

    for (const chapter of chapters) {
      await page.locator(`li[data-sidebar-id] a[href="#description/${chapter}"]`).waitFor();
    }
    const headings = await page.locator('[id*="/description/"]').evaluateAll(idsOf);
    const links = await page.locator('a[href^="#description/"]').evaluateAll(hrefsOf);
    expect(links.filter((link) => !headings.some((id) => id.endsWith(link.slice(1))))).toEqual([]);
  });

  it('can be used by keyboard: skip link, search and theme', async () => {
    const { page } = opened;
    await page.locator('.skip-link').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('main').evaluate('document.activeElement.tagName')).toBe('MAIN');

    for (const [text, heading] of [
      ['rate limit', 'rate-limits'],
      ['retry', 'retries'],
      ['curl', 'curl'],
    ] as const) {
      await page.getByRole('button', { name: 'Open Search' }).click();
      await page.keyboard.type(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`#description/${heading}$`));
    }
    expect(await page.getByRole('button', { name: 'Set dark mode' }).count()).toBe(1);
  });

  it('shows curl first, then the client, and every response of an operation', async () => {
    const { page } = opened;
    for (const [name, { method, path, successStatus }] of operationEntries) {
      await page.locator(`a[href="#tag/pets/${method}${path}"]`).first().click();
      const section = page.locator(`[id$="/tag/pets/${method}${path}"]`);
      const picker = section.getByTestId('client-picker');
      await expect.poll(() => picker.innerText()).toBe('Shell Curl');
      if (name in clientSamples) {
        await picker.click();
        await page.getByRole('option', { name: 'petstore-client' }).click();
        await section.getByText(`petStore.${name === 'listPets' ? 'allPets' : name}`).waitFor();
        await picker.click();
        await page.getByRole('option', { name: 'Curl' }).click();
      }
      for (const status of [successStatus, 503, 504]) {
        await section.getByRole('tab', { name: `Status: ${status}` }).waitFor();
      }
    }
  });

  it('creates and lists pets with the filled-in key, and never rounds an integer', async () => {
    const { page, complaints, origins } = opened;
    const integers = ['-9223372036854775808', '9007199254740993', '9223372036854775807'];
    const form = await openForm(page, 'post /pets');
    const bodies = [];
    for (const integer of integers) {
      await typeBody(page, form, stringifyExactJson(petWithInteger(BigInt(integer))));
      const { sent, displayed, idempotencyKey } = await sendForm(page);
      expect(displayed).toContain(integer);
      // The same key with another body would get 422.
      expect(idempotencyKey).toBeUndefined();
      bodies.push(sent);
    }
    await closeForm(page);
    await openForm(page, 'get /pets');
    const listed = await sendForm(page);
    await closeForm(page);

    expect(bodies.map((body) => /-?\d{10,}/.exec(body)?.[0])).toEqual(integers);
    expect(listed.query).toBe('?limit=20');
    expect(listed.displayed.match(/-?\d{10,}/g)).toEqual(integers);
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([gateway.origin]));
  });

  it('lets a reader remove the key, and has no form that rounds integers', async () => {
    const { page } = opened;
    const form = await openForm(page, 'post /pets');
    expect(await form.getByRole('button', { name: 'Form', exact: true }).isVisible()).toBe(false);

    await form.getByText('Selected Auth Type:').click();
    await page.getByRole('option', { name: /^apiKey/ }).click();
    await form.getByText('Request Body', { exact: true }).hover();
    await page.keyboard.press('Tab');
    const { status } = await sendForm(page);

    expect(status).toBe(401);
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
    await expect.poll(async () => (await response.boundingBox())?.y).toBeLessThan(600);
    expect(origins).toEqual(new Set([new URL(service.baseAddress).origin]));
  });
});
