import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { docs } from '../../infra/tools/docs.ts';
import { maxInt64, stringifyExactJson } from '../../lib/int64.ts';
import { operationEntries, operations } from '../../lib/operations.ts';
import { apiKey, call } from '../helpers/api.ts';
import {
  chromiumPath,
  closeForm,
  type OpenedPage,
  openForm,
  openPage,
  sendForm,
  startBrowser,
  typeInto,
} from '../helpers/browser.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { startService, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { exactPets, idIn, int64Fields, petText } from '../helpers/samplePets.ts';

const gateway = await startGateway(functions, { onRequest: serveDocs() });

/** Pets with the smallest and the largest int64. */
const limits = exactPets.slice(-2);

const wcagLevelAA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Below level AA, and no setting changes it: these arrows are 22 pixels wide instead of 24. */
const arrowsOfMenu = 'li[data-sidebar-id] button[aria-expanded]';

/** Scalar renders a section when the reader comes near, which takes seconds on a loaded machine. */
const slow = { timeout: 10_000 };

const hrefsOf = (links: { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href') ?? '');

const longNumbersIn = (text: string) => text.match(/-?\d{10,}/g) ?? [];

describe.skipIf(chromiumPath === undefined)('the documentation page', { timeout: 60_000 }, () => {
  let browser: Browser;
  // Shared, because a page takes seconds of CPU time to load.
  let wide: OpenedPage;
  let phone: OpenedPage;
  let petId: string;
  beforeAll(async () => {
    browser = await startBrowser();
    [wide, phone] = await Promise.all([
      openPage(browser, `${gateway.origin}/#key=${apiKey}`),
      openPage(browser, `${gateway.origin}/`, 390),
    ]);
    for (const body of limits) petId = idIn((await call(functions.createPet, { body })).text);
  }, 60_000);
  afterAll(() => browser?.close());

  it('asks for the key, and takes it from an address that is opened later', async () => {
    const { page } = phone;
    const field = page.getByPlaceholder('Token').first();
    expect(await field.inputValue()).toBe('');
    expect(await page.getByText('npm start prints').first().isVisible()).toBe(true);

    await page.goto(`${gateway.origin}/#key=${apiKey}`);

    await expect.poll(() => field.inputValue(), slow).toBe(apiKey);
    expect([page.url(), wide.page.url()].join()).not.toContain(apiKey);
  });

  it.each(['wide', 'phone'])('sends each request with all digits of an int64: %s', async (name) => {
    const { page, complaints, origins } = name === 'wide' ? wide : phone;
    for (const [, operation] of operationEntries.filter(([, { output }]) => output)) {
      const form = await openForm(page, operation);
      const { path, body } = operation.input;
      // `Form` would send them as strings.
      expect(await form.getByRole('button', { name: 'Form', exact: true }).isVisible()).toBe(false);
      const bodies = body ? limits.map(stringifyExactJson) : [''];
      for (const text of bodies) {
        if (path)
          await typeInto(page, form.getByRole('combobox', { name: 'Value' }).first(), petId);
        if (body) await typeInto(page, form.locator('.cm-content', { hasText: '{' }), text);
        const { status, url, sent, received, displayed } = await sendForm(page);

        // Neither a filter nor the Idempotency-Key of the example, which fits one body only.
        expect(url).toBe(`${gateway.baseAddress}${operation.path.replace('{petId}', petId)}`);
        expect([status, sent]).toEqual([operation.successStatus, text]);
        expect(longNumbersIn(displayed)).toEqual(longNumbersIn(received));
        expect(longNumbersIn(received).length).toBeGreaterThan(0);
      }
      await closeForm(page);
    }
    expect(complaints).toEqual([]);
    expect(origins).toEqual(new Set([gateway.origin]));
  });

  it('writes a sample of the form with all digits of an int64, and offers no language that has none', async () => {
    const { page } = wide;
    const form = await openForm(page, operations.createPet);
    const pet = petText(Object.fromEntries(int64Fields.map((field) => [field, maxInt64])));
    await typeInto(page, form.locator('.cm-content', { hasText: '{' }), pet);
    await form.getByRole('button', { name: /^Code Snippet/ }).click();
    const picker = form.getByTestId('client-picker');
    await picker.click();
    const languages = page.getByRole('listbox').getByRole('group');
    expect(await languages.allInnerTexts()).not.toContainEqual(
      expect.stringMatching(/^(PHP|Julia|Objective-C)/),
    );

    // The first has the text of the body, and the others have its values.
    for (const [index, client] of ['Curl', 'Fetch', 'Requests', 'NSURLSession'].entries()) {
      if (index > 0) await picker.click();
      await languages.getByRole('option', { name: client, exact: true }).first().click();
      const sample = form.getByRole('region', { name: /^Code Snippet/ }).locator('code');
      // Quotation marks around the digits would make it a string.
      expect(await sample.textContent()).toMatch(RegExp(`[^"'\\d]${maxInt64}[^"'\\d]`));
    }
    await closeForm(page);
  });

  it('has each link of a chapter lead to a section', async () => {
    const { page } = wide;
    const links = await page.locator('main .markdown a[href^="#"]').evaluateAll(hrefsOf);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(await page.locator(`main [id$="${link.slice(1)}"]`).count(), link).not.toBe(0);
    }
  });

  it('closes the menu of a phone after a tap on each kind of entry', async () => {
    const { page } = phone;
    const menu = page.locator('[data-sidebar-id] a:visible');
    for (const [address, title] of [
      ['description/errors', 'Errors'],
      ['tag/pets', 'Pets'],
    ]) {
      await page.getByRole('button', { name: 'Open Menu' }).tap();
      await page.locator(`[data-sidebar-id] a[href="#${address}"]:visible`).tap();

      await expect.poll(() => menu.count(), slow).toBe(0);
      const section = page.locator(`main [id$="${address}"]`).first();
      await expect.poll(async () => (await section.boundingBox())?.y, slow).toBeLessThan(100);
      expect(await page.title()).toBe(`${title} · Pet Store`);
    }
  });

  it('turns the rows of a table into lists on a phone', async () => {
    const row = phone.page.locator('tr', { hasText: 'payload_too_large' }).locator('td');

    const boxes = await Promise.all((await row.all()).map((cell) => cell.boundingBox()));

    expect(new Set(boxes.map((box) => box?.x)).size).toBe(1);
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(boxes.length);
  });

  it('shows its copy buttons, which copy what they are beside', async () => {
    const { page } = wide;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('[data-sidebar-id] a[href="#tag/pets/POST/pets"]').click();
    const button = page
      .locator('[id$="tag/pets/POST/pets"]')
      .getByRole('button', { name: / Copy$/ });
    await button.first().waitFor(slow);
    const opacity = `getComputedStyle(document.querySelector('.scalar-code-copy')).opacity`;
    expect(await page.evaluate(opacity)).toBe('1');

    await button.first().click();

    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied, slow).toMatch(RegExp(`Bearer ${apiKey}`));
  });

  it.each([
    ['wide', 1440, 'light'],
    ['phone', 390, 'dark'],
  ] as const)('meets WCAG 2.2 AA and fits its window: %s', async (name, width, colorScheme) => {
    const { page } = name === 'wide' ? wide : phone;
    await page.emulateMedia({ colorScheme });
    await page.locator(`body.${colorScheme}-mode`).waitFor();
    // Results with what passed, sent to a second page, would take half of the CPU time.
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] })
      .withTags(wcagLevelAA)
      .exclude(arrowsOfMenu)
      .analyze();

    expect(
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  it('opens a deep link from a file, and calls a service that allows its origin', async () => {
    const folder = await temporaryFolder();
    // Browsers send `null` for a page that was opened from a file.
    const service = await startService(['--in-memory', '--seed', '1', '--cors-origin', 'null']);
    await runCommandHere(docs, ['--out', folder, '--server', service.baseAddress]);
    const address = `file://${join(folder, 'index.html')}#description/errors`;
    const { page, complaints, origins } = await openPage(browser, address);

    await expect.poll(() => page.title(), slow).toBe('Errors · Pet Store');
    await page.getByPlaceholder('Token').first().fill(service.apiKey);
    await openForm(page, operations.listPets);
    const listed = await sendForm(page);

    expect([listed.status, complaints]).toEqual([200, []]);
    expect(origins).toEqual(new Set([new URL(service.baseAddress).origin]));
  });
});
