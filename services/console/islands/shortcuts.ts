/**
 * Keys for who does not want to reach for the pointer: `/` searches, `j` and `k` walk through the rows, `g` and a letter go to a section, `?`
 * shows all of them. Elements with `data-key` have a key of their own, which clicks them. All can be turned off (WCAG 2.1.4): single keys get in
 * the way of speech input.
 */
const stored = 'hookline-shortcuts';
/** Time for the letter after `g`. */
const sectionWaitMs = 1_500;

/** The letter after `g`, and the end of the section's path. */
const sections: Readonly<Record<string, readonly [path: string, label: string]>> = {
  o: ['', 'overview'],
  e: ['/events', 'events'],
  d: ['/deliveries', 'deliveries'],
  n: ['/endpoints', 'endpoints'],
  s: ['/sources', 'sources'],
  x: ['/dead-letters', 'dead letters'],
  r: ['/replays', 'replays'],
};

class ShortcutKeys extends HTMLElement {
  #dialog: HTMLDialogElement | undefined;
  #afterG = 0;

  connectedCallback(): void {
    if (this.firstChild !== null) return;
    const button = make('button', { type: 'button', className: 'quiet', textContent: 'Keyboard' });
    button.addEventListener('click', () => this.#showHelp());
    this.append(button);
    document.addEventListener('keydown', (event) => this.#press(event));
  }

  #press(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !isOn()) return;
    if (target instanceof Element && target.closest('input, select, textarea, dialog, [contenteditable]') !== null)
      return;
    const isSection = performance.now() < this.#afterG;
    this.#afterG = 0;
    if (isSection && go(key)) event.preventDefault();
    else if (key === 'g') this.#afterG = performance.now() + sectionWaitMs;
    else if (key === '?') this.#showHelp();
    else if (key === '/' ? focusSearch() : (key === 'j' && walk(1)) || (key === 'k' && walk(-1)) || click(key))
      event.preventDefault();
  }

  #showHelp(): void {
    this.#dialog ??= this.appendChild(helpDialog());
    const own = this.#dialog.querySelector('.own-keys');
    own?.replaceChildren(...ownKeys().map(([key, label]) => row([key], label)));
    this.#dialog.showModal();
  }
}

/** Where storage is refused, they are on. */
function isOn(): boolean {
  try {
    return localStorage.getItem(stored) !== 'off';
  } catch {
    return true;
  }
}

function turn(on: boolean): void {
  try {
    if (on) localStorage.removeItem(stored);
    else localStorage.setItem(stored, 'off');
  } catch {
    // Then it holds for no other page.
  }
}

function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('#q');
  search?.focus();
  search?.select();
  return search !== null;
}

/** From the row that has the focus to the next one. Its link is what `Enter` opens. */
function walk(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.rows-linked tbody tr > td:first-child > a')];
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  const next = links[at === -1 && by === -1 ? links.length - 1 : at + by];
  next?.focus();
  return next !== undefined;
}

/** By the links of the navigation: what the session may not see has none. */
function go(key: string): boolean {
  const section = Object.hasOwn(sections, key) ? sections[key] : undefined;
  const links = document.querySelectorAll<HTMLAnchorElement>('nav.sections ul:first-of-type a');
  const home = links[0]?.pathname ?? '';
  const link = [...links].find(({ pathname }) => section !== undefined && pathname === home + section[0]);
  link?.click();
  return link !== undefined;
}

const withKeys = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-key]')];

function click(key: string): boolean {
  const element = withKeys().find(({ dataset }) => dataset['key'] === key);
  element?.click();
  return element !== undefined;
}

const ownKeys = (): [string, string][] =>
  withKeys().map((element) => [
    element.dataset['key'] ?? '',
    element.getAttribute('aria-label') ?? element.closest('label')?.textContent.trim() ?? element.textContent.trim(),
  ]);

function helpDialog(): HTMLDialogElement {
  const heading = make('h2', { id: 'shortcuts-title', textContent: 'Keyboard' });
  const keys = make('dl');
  keys.append(
    row(['/'], 'search'),
    row(['j', 'k'], 'next and previous row'),
    row(['Enter'], 'open the row'),
    ...Object.entries(sections).map(([key, [, label]]) => row(['g', key], label)),
    row(['?'], 'this help'),
  );
  const own = make('dl', { className: 'own-keys' });
  const box = make('input', { type: 'checkbox', checked: isOn() });
  box.addEventListener('change', () => turn(box.checked));
  const label = make('label', { className: 'check', textContent: ' Use these keys in this browser' });
  label.prepend(box);
  const close = make('button', { type: 'button', textContent: 'Close' });
  close.addEventListener('click', () => dialog.close());
  const dialog = make('dialog', { className: 'shortcuts' });
  dialog.setAttribute('aria-labelledby', heading.id);
  dialog.append(heading, keys, own, label, close);
  return dialog;
}

function row(keys: readonly string[], label: string): HTMLDivElement {
  const line = make('div');
  const term = make('dt');
  term.append(...keys.map((key) => make('kbd', { textContent: key })));
  line.append(term, make('dd', { textContent: label }));
  return line;
}

const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] => Object.assign(document.createElement(name), properties);

customElements.define('shortcut-keys', ShortcutKeys);
document.querySelector('.foot .themes')?.before(make('shortcut-keys' as 'div'));
