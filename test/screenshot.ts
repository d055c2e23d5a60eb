// Makes the picture of README.md from the page that `npm run docs` writes.
import { resolve } from 'node:path';
import { docs } from '../infra/tools/docs.ts';
import { openPage } from './helpers/browser.ts';

await docs.parseAsync(['--server', 'http://localhost:3000/v1'], { from: 'user' });
const { page, close } = await openPage(
  `file://${resolve('docs-site/index.html')}#key=ps_local_key`,
  {
    viewport: { width: 1280, height: 640 },
  },
);
await page.locator('a[href="#tag/pets/POST/pets"]').click();
await page.waitForTimeout(2000); // Scalar scrolls there.
await page.screenshot({ path: 'docs/documentation-page.png' });
await close();
