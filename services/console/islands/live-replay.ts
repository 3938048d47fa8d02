/**
 * `<live-replay data-from="/t/x/live/replays/rpl_…">` around the progress of a replay: puts the newest in its place until the replay has ended.
 * A hidden tab asks nothing.
 */
import { askInTurn, backOffMs } from './held-polls.ts';
import { parseFragment } from './trusted-rows.ts';

/** Also the least time between two updates: four a second. */
const betweenUpdatesMs = 250;
/** Where the request is not held. */
const pollMs = 2_000;

class LiveReplay extends HTMLElement {
  #failures = 0;
  #isRunning = false;

  connectedCallback(): void {
    document.addEventListener('visibilitychange', this.#whenVisible);
    this.#whenVisible();
  }

  disconnectedCallback(): void {
    document.removeEventListener('visibilitychange', this.#whenVisible);
  }

  readonly #whenVisible = (): void => void this.#follow();

  async #follow(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.isConnected && !document.hidden && this.dataset['ended'] === undefined) {
      const pauseMs = await this.#ask().catch(() => this.#failed(null));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.#isRunning = false;
  }

  /** @returns how long to wait before the next request */
  #ask(): Promise<number> {
    return askInTurn(async (mayWait) => {
      // A browser with a cache lets the same request of another tab wait for the first one’s answer.
      const answer = await fetch(`${this.dataset['from'] ?? ''}${mayWait ? '?wait=1' : ''}`, { cache: 'no-store' });
      const { status, headers } = answer;
      if (status === 429 || status >= 500) return this.#failed(headers.get('retry-after'));
      if (status !== 200) {
        this.#end(status === 401 ? 'The session has ended. Reload the page to sign in.' : 'Reload the page.');
        return 0;
      }
      this.#failures = 0;
      this.#show(parseFragment(await answer.text()));
      return mayWait ? betweenUpdatesMs : pollMs;
    });
  }

  #show(progress: DocumentFragment): void {
    const state = progress.querySelector<HTMLElement>('[data-status]')?.dataset ?? {};
    const hasEnded = state['open'] === undefined;
    const focus = document.activeElement;
    // A link in it that has the focus stays where it is.
    if (hasEnded || focus === this || !this.contains(focus)) this.replaceChildren(progress);
    const isSending = ['queued', 'running'].includes(state['status'] ?? '');
    if (!isSending) for (const element of document.querySelectorAll('[data-while-running]')) element.remove();
    if (hasEnded) this.#end('All that was sent has ended.');
    if (focus === null || focus.isConnected) return;
    // From a link that is gone: else the next Tab would begin at the top of the page.
    this.tabIndex = -1;
    this.focus();
  }

  #failed(retryAfter: string | null): number {
    this.#failures += 1;
    this.#say('No answer. Trying again; the replay itself continues.');
    return backOffMs(this.#failures, retryAfter);
  }

  #end(sentence: string): void {
    this.dataset['ended'] = '';
    this.#say(sentence);
  }

  #say(sentence: string): void {
    const status = this.querySelector('[role=status]') ?? document.createElement('p');
    status.setAttribute('role', 'status');
    status.textContent = sentence;
    this.append(status);
  }
}

customElements.define('live-replay', LiveReplay);
