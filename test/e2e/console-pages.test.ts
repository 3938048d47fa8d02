import { findChromium } from '../support/console/find-chromium.ts';
import { type BrowserScene, setBrowserScene } from './console-browser/browser-scene.ts';
import { describeCatalog } from './console-browser/catalog.ts';
import { describePages } from './console-browser/pages.ts';
import { describePortal } from './console-browser/portal.ts';

/** Each page of console, catalog and portal once, in one look. All looks, and what people do there: console-browser.night.test.ts. */
const chromium = findChromium();
if ('missing' in chromium) process.stderr.write(`no pages looked at in a browser: ${chromium.missing}\n`);

('path' in chromium ? describe : describe.skip)('in a browser', () => {
  let scene: BrowserScene;
  beforeAll(async () => {
    scene = await setBrowserScene('path' in chromium ? chromium.path : '', 'one');
  });
  afterAll(async () => {
    await scene?.browser.close();
    await scene?.world.close();
  });

  describe('a page', () => describePages(() => scene));
  describe('the catalog', () => describeCatalog(() => scene));
  describe('the portal', () => describePortal(() => scene));
});
