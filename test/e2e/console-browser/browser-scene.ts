import { type Browser, startBrowser } from '../../support/console/browser.ts';
import { type Scene, setScene } from '../console/console-scene.ts';
import type { Looks } from './judge-page.ts';

export interface BrowserScene extends Scene {
  browser: Browser;
  looks: Looks;
}

export async function setBrowserScene(chromium: string, looks: Looks): Promise<BrowserScene> {
  const [scene, browser] = await Promise.all([setScene(), startBrowser(chromium)]);
  return { ...scene, browser, looks };
}
