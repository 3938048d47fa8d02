/** Scripts that are evaluated in a page of the browser. As text: this program has no types of a browser. */

/** The background that the reader sees. */
export const background = 'getComputedStyle(document.documentElement).backgroundColor';

/** All that a script of the page could read. */
export const readableByScripts =
  '[document.cookie, ...Object.values({ ...localStorage }), ...Object.values({ ...sessionStorage })].join()';

/** The element with the focus: where it leads, or its id. */
export const focused = "document.activeElement?.getAttribute('href') ?? document.activeElement?.id ?? ''";

export const linksOfRows =
  "[...document.querySelectorAll('main tbody tr td:first-child a')].map((link) => link.getAttribute('href'))";

export const focusIsInMain = "document.activeElement?.closest('main') !== null";

/** By itself, or, as the link of a row, by what is drawn around the row. */
export const focusIsSeen = `[null, '::after'].some((part) => {
  const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement, part);
  return outlineStyle !== 'none' || boxShadow !== 'none';
})`;

/** Whether nothing has it: what had it is gone. */
export const focusIsLost = 'document.activeElement === null || document.activeElement === document.body';

export const focusIsOn = (selector: string): string =>
  `document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`;

/** As ../../e2e/console-browser/pages.ts compares it. */
export const documentAsSeen = `({
  title: document.title,
  headings: [...document.querySelectorAll('h1')].map((heading) => heading.innerHTML),
  rows: document.querySelectorAll('main tbody tr').length,
  robots: document.querySelectorAll('meta[name=robots]').length,
})`;

/** The element that makes the document scroll sideways, if there is one. */
export const sidewaysScrolling = `(() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const isInScroller = (element) => {
    for (let parent = element.parentElement; parent !== null && parent !== document.body; parent = parent.parentElement)
      if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(parent).overflowX)) return true;
    return false;
  };
  const wide = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !isInScroller(element),
  );
  const named = wide.slice(-2).map((element) => element.outerHTML.slice(0, 120)).join(' | ');
  return [\`scrolls sideways to \${root.scrollWidth} of \${root.clientWidth} px: \${named}\`];
})()`;

/** Whether something ran that had no business to; \`watch\` is evaluated before the page. */
export const watchFor = (name: string): string =>
  `globalThis[${JSON.stringify(name)}] = () => { globalThis.hasRun = true; }`;
export const hasRun = "'hasRun' in globalThis";

/** @param rules all of them by default */
export const runAxe = (rules?: readonly string[]): string => `axe
  .run(document, { resultTypes: ['violations'], preload: false, ${rules === undefined ? '' : `runOnly: { type: 'rule', values: ${JSON.stringify(rules)} }`} })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`;
