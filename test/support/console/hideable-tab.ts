import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from './browser.ts';

/**
 * A tab that can be hidden. Playwright keeps its own tabs visible, so this one is opened, and spoken to, by the DevTools protocol alone, in a
 * window of its own.
 */
export interface HideableTab {
  evaluate<T>(expression: string): Promise<T>;
  hide(): Promise<void>;
  show(): Promise<void>;
  /** Requests without an answer yet, as addresses. */
  openRequests(): string[];
  close(): Promise<void>;
}

interface Message {
  id?: number;
  method?: string;
  params?: { requestId?: string; request?: { url: string } };
  result?: unknown;
  error?: { message: string };
}

/** @param token of the session */
export async function openHideableTab(
  browser: Browser,
  { url, token }: { url: string; token: string },
): Promise<HideableTab> {
  const devtools = await browser.newBrowserCDPSession();
  const { browserContextId } = await devtools.send('Target.createBrowserContext');
  await devtools.send('Storage.setCookies', {
    browserContextId,
    cookies: [{ name: 'hookline', value: token, url, httpOnly: true, sameSite: 'Lax' }],
  });
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: false });

  const answers = new Map<number, (message: Message) => void>();
  const open = new Map<string, string>();
  devtools.on('Target.receivedMessageFromTarget', ({ message: text }) => {
    const { id, method, params, ...message } = JSON.parse(text) as Message;
    if (id !== undefined) answers.get(id)?.(message);
    if (params?.requestId === undefined) return;
    if (method === 'Network.requestWillBeSent') open.set(params.requestId, params.request?.url ?? '');
    if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed') open.delete(params.requestId);
  });
  let sent = 0;
  const send = async <T>(method: string, params: object = {}): Promise<T> => {
    const id = (sent += 1);
    const answered = new Promise<Message>((resolve) => answers.set(id, resolve));
    await devtools.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };

  await send('Network.enable');
  await send('Page.enable');
  await send('Page.navigate', { url });
  const tab: HideableTab = {
    async evaluate<T>(expression: string) {
      const { result } = await send<{ result: { value: T } }>('Runtime.evaluate', { expression, returnByValue: true });
      return result.value;
    },
    async hide() {
      // A tab is frozen after it was hidden; when its scripts run again, it is hidden still.
      await send('Page.setWebLifecycleState', { state: 'frozen' });
      await send('Page.setWebLifecycleState', { state: 'active' });
    },
    show: () => send('Emulation.setFocusEmulationEnabled', { enabled: true }),
    openRequests: () => [...open.values()],
    async close() {
      await devtools.send('Target.disposeBrowserContext', { browserContextId });
    },
  };
  for (let state = ''; state !== 'complete'; await delay(50)) state = await tab.evaluate('document.readyState');
  return tab;
}
