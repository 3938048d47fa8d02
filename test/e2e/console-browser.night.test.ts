import { findChromium } from '../support/console/find-chromium.ts';
import { type BrowserScene, setBrowserScene } from './console-browser/browser-scene.ts';
import { describeCatalog } from './console-browser/catalog.ts';
import { describeKeyboard } from './console-browser/keyboard.ts';
import { describeLive } from './console-browser/live.ts';
import { describePages } from './console-browser/pages.ts';
import { describePortal } from './console-browser/portal.ts';
import { describeSigningIn } from './console-browser/signing-in.ts';

/** The console in Chromium. What can be judged by its HTML alone is in console.night.test.ts. */
const chromium = findChromium();
if ('missing' in chromium) process.stderr.write(`no tests of the console in a browser: ${chromium.missing}\n`);

('path' in chromium ? describe : describe.skip)('in a browser', () => {
  let scene: BrowserScene;
  beforeAll(async () => {
    scene = await setBrowserScene('path' in chromium ? chromium.path : '', 'all');
  });
  afterAll(async () => {
    await scene?.browser.close();
    await scene?.world.close();
  });

  describe('signing in', () => describeSigningIn(() => scene));
  describe('a page', () => describePages(() => scene));
  describe('the catalog', () => describeCatalog(() => scene));
  describe('the portal', () => describePortal(() => scene));
  describe('the keyboard', () => describeKeyboard(() => scene));
  describe('live events', () => describeLive(() => scene));
});
