import { beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { operations } from '../../lib/operations.ts';
import { apiKey } from '../helpers/api.ts';
import {
  chromiumPath,
  expectAccessible,
  type OpenedPage,
  openPage,
  sendEachRequest,
  slow,
} from '../helpers/browser.ts';
import { functions, startGateway } from '../helpers/gateway.ts';

const { origin } = await startGateway(functions, { onRequest: serveDocs() });

// The tests share a page, which takes seconds of CPU time to load. The last one leaves it.
const options = { timeout: 60_000, shuffle: false };

describe.skipIf(!chromiumPath)('the page of npm start, on a phone', options, () => {
  let phone: OpenedPage;
  beforeAll(async () => {
    phone = await openPage(`${origin}/#key=${apiKey}`, {
      viewport: { width: 390, height: 900 },
      hasTouch: true,
      colorScheme: 'dark',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    return phone.close;
  }, 60_000);

  it('sends each request with all digits of an int64, to its own origin only', async () => {
    await sendEachRequest(phone, origin);
  });

  it('closes the menu after a tap on each kind of entry', async () => {
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

  it('turns the rows of a table into lists', async () => {
    const row = phone.page.locator('tr', { hasText: 'payload_too_large' }).locator('td');

    const boxes = await Promise.all((await row.all()).map((cell) => cell.boundingBox()));

    expect(new Set(boxes.map((box) => box?.x)).size).toBe(1);
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(boxes.length);
  });

  it('shows its copy buttons, which copy what they are beside', async () => {
    const { page } = phone;
    const { method, path } = operations.createPet;
    const section = page.locator(`[id$="tag/pets/${method}${path}"]`);
    const button = section.getByRole('button', { name: / Copy$/ }).first();
    await button.waitFor(slow);
    const isVisible = button.evaluate((each) => each.checkVisibility({ opacityProperty: true }));
    expect(await isVisible).toBe(true);

    await button.click();

    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied, slow).toMatch(RegExp(`Bearer ${apiKey}`));
  });

  it('meets WCAG 2.2 AA and fits its window', () => expectAccessible(phone.page));

  it('takes the key from an address that is opened later, and loads again with it', async () => {
    const { page } = phone;
    const reload = page.waitForRequest(`${origin}/`);

    await page.goto(`${origin}/#key=ps_local_later`);

    await reload;
    expect(page.url()).not.toContain('later');
  });
});
