import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../infra/docs/serveDocs.ts';
import { errorStatuses } from '../../lib/errors.ts';
import { apiKey } from '../helpers/api.ts';
import { chromiumPath, openForm, openPage, startBrowser } from '../helpers/browser.ts';
import { functions, serveFunctions } from '../helpers/gateway.ts';

const gateway = serveFunctions(functions, { onRequest: serveDocs({ apiKey, host: 'localhost' }) });

const wcagLevelAA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What Scalar draws below level AA, without a setting that changes it. */
const faultsOfScalar = {
  'button.group\\/copy-button': 'The button that copies an example has a tooltip, but no name.',
  'li[data-sidebar-id] button[aria-expanded]':
    'The arrow that opens an entry of the sidebar is 22 pixels wide instead of 24.',
};

const idsOf = (elements: { id: string }[]) => elements.map(({ id }) => id);
const hrefsOf = (links: { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href') ?? '');

describe.skipIf(chromiumPath === undefined)(
  'the guide of the documentation page',
  { timeout: 60_000 },
  () => {
    let browser: Browser;
    // Shared, because a page takes 4 s of CPU time to load.
    let page: Page;
    beforeAll(async () => {
      browser = await startBrowser();
      ({ page } = await openPage(browser, `${gateway.origin}/#tag/pets/POST/pets`));
      await page.getByText("from 'petstore-client'").nth(1).waitFor();
    }, 60_000);
    afterAll(() => browser?.close());

    it('meets WCAG 2.2 AA in light and dark colors, on wide and narrow screens', async () => {
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
      expect(links.filter((link) => !headings.some((id) => id.endsWith(link.slice(1))))).toEqual(
        [],
      );
    });

    it('shows how petstore-client sends each request, as the first sample', async () => {
      for (const operation of ['GET/pets', 'POST/pets', 'GET/pets/{petId}']) {
        await page.locator(`a[href="#tag/pets/${operation}"]`).first().click();
        const section = page.locator(`[id$="/tag/pets/${operation}"]`);
        await section.getByText("from 'petstore-client'").waitFor();
      }
    });

    it('has a fresh Idempotency-Key as its example each time it opens', async () => {
      const readKey = async () => {
        const form = await openForm(page, 'POST', '/pets');
        return form.getByText(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/).innerText();
      };

      const key = await readKey();
      await page.reload();
      const nextKey = await readKey();

      expect(nextKey).not.toBe(key);
      expect(await readFile('README.md', 'utf8')).not.toContain(key);
    });
  },
);
