import { beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../../docs/page/serveDocs.ts';
import { apiKey } from '../helpers/api.ts';
import {
  chromiumPath,
  expectAccessible,
  type OpenedPage,
  openPage,
  sendEachRequest,
} from '../helpers/browser.ts';
import { functions, startGateway } from '../helpers/gateway.ts';

const { origin } = await startGateway(functions, { onRequest: serveDocs() });

// The tests share a page, which takes seconds of CPU time to load.
const options = { timeout: 60_000, shuffle: false };

describe.skipIf(!chromiumPath)('the page of npm start, on a phone', options, () => {
  let phone: OpenedPage;
  beforeAll(async () => {
    phone = await openPage(`${origin}/#key=${apiKey}`, {
      viewport: { width: 320, height: 900 },
      hasTouch: true,
      colorScheme: 'dark',
    });
    return phone.close;
  }, 60_000);

  it('sends each request with all digits of an int64, to its own origin only', async () => {
    await sendEachRequest(phone, origin);
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
