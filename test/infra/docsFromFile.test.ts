import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { docs } from '../../infra/tools/docs.ts';
import { maxInt64 } from '../../lib/int64.ts';
import { operations } from '../../lib/operations.ts';
import {
  chromiumPath,
  closeForm,
  expectAccessible,
  type OpenedPage,
  openForm,
  openPage,
  sendEachRequest,
  slow,
  typeBody,
} from '../helpers/browser.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// Browsers send `null` for a page that was opened from a file.
vi.hoisted(() => {
  process.env.CORS_ORIGINS = 'null';
});

const { origin, baseAddress, apiKey } = await startGateway(functions, { corsOrigins: ['null'] });

// The tests share a page, which takes seconds of CPU time to load. The first one needs its first address.
const options = { timeout: 60_000, shuffle: false };

describe.skipIf(!chromiumPath)('the page of npm run docs, from a file', options, () => {
  let wide: OpenedPage;
  let file: string;
  beforeAll(async () => {
    const folder = await temporaryFolder();
    await runCommandHere(docs, ['--out', folder, '--server', baseAddress]);
    file = `file://${join(folder, 'index.html')}`;
    wide = await openPage(`${file}#description/errors`, {
      // The narrowest window with two columns beside the menu that is common.
      viewport: { width: 1280, height: 800 },
    });
    return wide.close;
  }, 60_000);

  it('opens a deep link', async () => {
    await expect.poll(() => wide.page.title(), slow).toBe('Errors · Pet Store');
  });

  it('shows the errors as a table, and no word that is cut', async () => {
    const { page } = wide;
    const cells = await page.locator('tr', { hasText: 'payload_too_large' }).locator('td').all();
    const boxes = await Promise.all(cells.map((cell) => cell.boundingBox()));
    const authentication = page.locator('button', { has: page.getByTestId('auth-indicator') });
    const widths = authentication.first().evaluate((each) => [each.scrollWidth, each.clientWidth]);

    expect(boxes.length).toBeGreaterThan(1);
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
    const [needed = 0, shown] = await widths;
    expect(needed).toBeLessThanOrEqual(shown ?? 0);
  });

  it('asks for the key, and sends each request with all digits of an int64 to a service that allows its origin', async () => {
    const { page } = wide;
    const field = page.getByPlaceholder('Token').first();
    expect(await field.inputValue()).toBe('');
    expect(await page.getByText('npm start prints').first().isVisible()).toBe(true);
    await field.fill(apiKey);

    await sendEachRequest(wide, origin);
  });

  it('writes a sample of the form with all digits of an int64, and offers no language that has none', async () => {
    const { page } = wide;
    const form = await openForm(page, operations.createPet);
    await typeBody(page, form, 'createPet', maxInt64);
    await form.getByRole('button', { name: /^Code Snippet/ }).click();
    const sample = form.getByRole('region', { name: /^Code Snippet/ }).locator('code');
    // Quotation marks around the digits would make it a string.
    const exactPet = RegExp(`[^"'\\d]${maxInt64}[^"'\\d]`);
    // The sample of curl has the text of the body, and those of the others have its values.
    await expect.poll(() => sample.textContent(), slow).toMatch(exactPet);

    await form.getByTestId('client-picker').click();
    const languages = page.getByRole('listbox').getByRole('group');
    const python = languages.getByRole('option', { name: 'Requests', exact: true });
    await python.waitFor();
    expect(await languages.allInnerTexts()).not.toContainEqual(
      expect.stringMatching(/^(PHP|Julia|Objective-C)/),
    );
    await python.click();
    await expect.poll(() => sample.textContent(), slow).toMatch(/^requests\.post/);
    expect(await sample.textContent()).toMatch(exactPet);
    await closeForm(page);
  });

  it('has each link of a chapter lead to a section', async () => {
    const { page } = wide;
    const links = await page
      .locator('main .markdown a[href^="#"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(await page.locator(`main [id$="${link.slice(1)}"]`).count(), link).not.toBe(0);
    }
  });

  it('meets WCAG 2.2 AA and fits its window', () => expectAccessible(wide.page));
});
