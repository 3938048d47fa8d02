/**
 * `<live-events data-from="/t/x/live/events?…" data-cursor="…">` around a table of events, newest first. It asks what has changed since the page
 * was made: rows that are there are replaced, new ones are counted, and come in when the reader asks for them, or at once with `data-follows`.
 * Nothing moves while somebody reads the rows. A hidden tab asks nothing.
 */
import { askInTurn, backOffMs } from './held-polls.ts';
import { belongs, idOf, insertRow, isRead, keptRows, rowsById } from './row-list.ts';
import { parseFragment } from './trusted-rows.ts';

const betweenUpdatesMs = 250;
const betweenAnnouncementsMs = 2_000;

class LiveEvents extends HTMLElement {
  #cursor = '';
  /** Why it goes on no more. */
  #ended = '';
  #failures = 0;
  #isRunning = false;
  /** More has changed than one answer holds. */
  #isBehind = false;
  #asking = new AbortController();
  /** Rows to come in, by id. */
  readonly #waiting = new Map<string, HTMLTableRowElement>();
  readonly #updateSoon = atMostEvery(betweenUpdatesMs, () => this.#update('follows' in this.dataset));
  readonly #announceSoon = atMostEvery(betweenAnnouncementsMs, () => this.#announce());

  connectedCallback(): void {
    this.#cursor ||= this.dataset['cursor'] ?? '';
    this.#part('.live-bar').hidden = false;
    this.#part('.live-new').onclick = () => this.#showAsked();
    for (const event of ['pointerleave', 'focusout']) this.addEventListener(event, this.#updateSoon);
    for (const event of ['selectionchange', 'scroll']) document.addEventListener(event, this.#updateSoon);
    document.addEventListener('visibilitychange', this.#whenVisible);
    this.#whenVisible();
    this.#announceSoon();
  }

  disconnectedCallback(): void {
    for (const event of ['selectionchange', 'scroll']) document.removeEventListener(event, this.#updateSoon);
    document.removeEventListener('visibilitychange', this.#whenVisible);
    this.#asking.abort();
  }

  readonly #whenVisible = (): void => {
    if (document.hidden) this.#asking.abort();
    else void this.#follow();
  };

  get #goesOn(): boolean {
    return this.isConnected && !document.hidden && this.#ended === '';
  }

  async #follow(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#goesOn) {
      const pauseMs = await this.#ask();
      await this.#pause(pauseMs);
    }
    this.#isRunning = false;
  }

  /** @returns how long to wait before the next request */
  async #ask(): Promise<number> {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      return await askInTurn(async (mayWait) => {
        const url = new URL(this.dataset['from'] ?? '', location.href);
        url.searchParams.set('cursor', this.#cursor);
        const isHeld = mayWait && !this.#isBehind;
        if (isHeld) url.searchParams.set('wait', '1');
        // A browser with a cache lets the same request of another tab wait for the first one’s answer.
        const answer = await fetch(url, { signal, cache: 'no-store' });
        if (!answer.ok) return this.#refused(answer);
        if (answer.status === 200) this.#take(parseFragment(await answer.text()));
        const { headers } = answer;
        this.#failures = 0;
        this.#cursor = headers.get('hookline-cursor') ?? this.#cursor;
        this.#isBehind = headers.has('hookline-more');
        this.#announceSoon();
        if (isHeld || this.#isBehind) return betweenUpdatesMs;
        return (Number(headers.get('x-poll-interval')) || 5) * 1_000 * (1 + Math.random());
      });
    } catch {
      return signal.aborted ? 0 : this.#failed(null);
    }
  }

  #refused({ status, headers }: Response): number {
    if (status === 429 || status >= 500) return this.#failed(headers.get('retry-after'));
    this.#ended =
      status === 401
        ? 'The session has ended. Reload the page to sign in.'
        : status === 410
          ? 'There is a gap: changes were removed before this list could show them. Reload the page to see the newest.'
          : 'This list can’t be followed any more. Reload the page.';
    this.#part('.live-bar').classList.add('live-ended');
    this.#announceSoon();
    return 0;
  }

  #failed(retryAfter: string | null): number {
    this.#failures += 1;
    this.#announceSoon();
    return backOffMs(this.#failures, retryAfter);
  }

  /** Ends early when the tab is hidden. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#asking;
    return new Promise((resolve) => {
      setTimeout(resolve, signal.aborted ? 0 : ms);
      signal.addEventListener('abort', () => resolve());
    });
  }

  #take(rows: DocumentFragment): void {
    const body = this.querySelector('tbody');
    if (body === null) return;
    const shown = rowsById(body);
    for (const row of rows.querySelectorAll('tr')) {
      const id = idOf(row);
      this.#waiting.delete(id);
      if (shown.has(id) || belongs(row, body, 'hasOlder' in this.dataset)) this.#waiting.set(id, row);
    }
    // A list has no room for more.
    for (const id of [...this.#waiting.keys()].sort().reverse().slice(keptRows)) this.#waiting.delete(id);
    this.#updateSoon();
  }

  /** The button is gone then: who came to it by keyboard goes on at the newest row. */
  #showAsked(): void {
    const isByKeyboard = this.#part('.live-new').matches(':focus-visible');
    this.#update(true, true);
    if (isByKeyboard) this.querySelector<HTMLElement>('tbody tr a')?.focus();
  }

  /** @param bringsNew also rows that are not there yet. @param isAsked by the reader, who may be at the list */
  #update(bringsNew: boolean, isAsked = false): void {
    const body = this.querySelector('tbody');
    const rows = this.#part('.live-rows');
    if (body === null) return;
    if (this.#waiting.size === 0 || (!isAsked && isRead(rows))) return this.#showNew();
    const shown = rowsById(body);
    for (const [id, row] of this.#waiting) {
      const before = shown.get(id);
      if (before === undefined && !bringsNew) continue;
      this.#waiting.delete(id);
      if (before === undefined) insertRow(row, body);
      else before.replaceWith(row);
    }
    if (body.rows.length > 0) {
      rows.hidden = false;
      // That there is nothing.
      document.querySelector('main > .empty')?.remove();
    }
    this.#showNew();
  }

  /** The count is seen at once, and read aloud more seldom. */
  #showNew(): void {
    const fresh = this.#countNew();
    const button = this.#part('.live-new');
    button.hidden = fresh === 0;
    button.textContent = `${fresh}${fresh === keptRows ? '+' : ''} new – show`;
    this.#announceSoon();
  }

  #countNew(): number {
    const body = this.querySelector('tbody');
    const shown = body === null ? undefined : rowsById(body);
    return [...this.#waiting.keys()].filter((id) => shown?.has(id) !== true).length;
  }

  #announce(): void {
    this.#part('[role=status]').textContent = this.#ended || this.#state(this.#countNew() > 0);
  }

  #state(hasNew: boolean): string {
    if (this.#failures > 0) return 'No answer from the API. Trying again.';
    if (this.#isBehind) return 'Behind: catching up.';
    if ('follows' in this.dataset) return hasNew ? 'Paused while you read.' : 'Following.';
    if (hasNew) return 'There are new events.';
    return this.#part('.live-rows').hidden ? 'Waits for the first event.' : '';
  }

  #part(selector: string): HTMLElement {
    return this.querySelector<HTMLElement>(selector) ?? document.createElement('span');
  }
}

/** The first call comes at once, those that follow too fast become one. */
function atMostEvery(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = -ms;
  return () => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        lastAt = performance.now();
        run();
      },
      Math.max(0, lastAt + ms - performance.now()),
    );
  };
}

customElements.define('live-events', LiveEvents);
