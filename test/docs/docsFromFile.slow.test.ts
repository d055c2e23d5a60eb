import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { maxInt64 } from '../../lib/int64.ts';
import { operations } from '../../lib/operations.ts';
import { docs } from '../../tools/docs.ts';
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

// The tests share a page, which takes seconds of CPU time to load.
const options = { timeout: 60_000, shuffle: false };

describe.skipIf(!chromiumPath)('the page of npm run docs, from a file', options, () => {
  let wide: OpenedPage;
  beforeAll(async () => {
    const folder = await temporaryFolder();
    await runCommandHere(docs, ['--out', folder, '--server', baseAddress]);
    wide = await openPage(`file://${join(folder, 'index.html')}`, {
      // The narrowest common window in which the page has two columns beside the menu.
      viewport: { width: 1280, height: 800 },
    });
    return wide.close;
  }, 60_000);

  it('asks for the key, and sends each request with all digits of an int64 to a service that allows its origin', async () => {
    const { page } = wide;
    const field = page.getByPlaceholder('Token').first();
    expect(await field.inputValue()).toBe('');
    expect(await page.getByText('npm start prints').first().isVisible()).toBe(true);
    await field.fill(apiKey);

    await sendEachRequest(wide, origin);
  });

  it('writes a sample of the form with all digits of an int64', async () => {
    const { page } = wide;
    const form = await openForm(page, operations.createPet);
    await typeBody(page, form, 'createPet', maxInt64);
    await form.getByRole('button', { name: /^Code Snippet/ }).click();
    const sample = form.getByRole('region', { name: /^Code Snippet/ }).locator('code');
    // Quotation marks around the digits would make it a string.
    const exactPet = RegExp(`[^"'\\d]${maxInt64}[^"'\\d]`);
    await expect.poll(() => sample.textContent(), slow).toMatch(exactPet);
    await closeForm(page);
  });

  it('meets WCAG 2.2 AA and fits its window', () => expectAccessible(wide.page));
});
