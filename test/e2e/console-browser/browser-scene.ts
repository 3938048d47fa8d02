import { type Browser, startBrowser } from '../../support/console/browser.ts';
import { type Scene, setScene } from '../console/console-scene.ts';

export interface BrowserScene extends Scene {
  browser: Browser;
}

export async function setBrowserScene(chromium: string): Promise<BrowserScene> {
  const [scene, browser] = await Promise.all([setScene(), startBrowser(chromium)]);
  return { ...scene, browser };
}
