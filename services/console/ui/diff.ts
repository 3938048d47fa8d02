import { html, type Html } from '#lib/html';
import { table } from './lists.ts';
import { count, plural } from './text.ts';

/**
 * The lines that differ between two texts, by Myers' algorithm (1986): the shortest list of removed and added lines. Its time and memory grow
 * with the number of differences, and of lines that are the same, so texts that differ in more than `maxDifferences` lines, or take more than
 * `maxSteps` comparisons, are shown as wholly removed and added, between what they begin and end with in common.
 */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** From 1 on, in the text that has it. */
  left: number | undefined;
  right: number | undefined;
}

const maxDifferences = 1_000;
/** A tenth of a second. Lines that repeat are compared on every diagonal: a thousand times each. */
const maxSteps = 5_000_000;

export function lineDiff(left: readonly string[], right: readonly string[]): DiffLine[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;

  const lines: DiffLine[] = [];
  const push = (kind: DiffLine['kind'], x: number, y: number): void =>
    void lines.push({
      kind,
      text: (kind === 'added' ? right[y] : left[x]) ?? '',
      left: kind === 'added' ? undefined : x + 1,
      right: kind === 'removed' ? undefined : y + 1,
    });

  for (let at = 0; at < start; at += 1) push('same', at, at);
  let x = start;
  let y = start;
  const middle = { left: left.slice(start, left.length - end), right: right.slice(start, right.length - end) };
  for (const move of movesOf(middle.left, middle.right)) {
    push(move, x, y);
    if (move !== 'added') x += 1;
    if (move !== 'removed') y += 1;
  }
  for (; x < left.length; x += 1, y += 1) push('same', x, y);
  return lines;
}

function movesOf(left: readonly string[], right: readonly string[]): DiffLine['kind'][] {
  const trace = searchPath(left, right);
  if (trace === undefined) return [...left.map(() => 'removed' as const), ...right.map(() => 'added' as const)];
  const moves: DiffLine['kind'][] = [];
  let x = left.length;
  let y = right.length;
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const before = trace[d - 1] ?? new Map<number, number>();
    const k = x - y;
    const isAdded = k === -d || (k !== d && (before.get(k - 1) ?? -1) < (before.get(k + 1) ?? -1));
    const fromK = isAdded ? k + 1 : k - 1;
    const fromX = before.get(fromK) ?? 0;
    const fromY = fromX - fromK;
    while (x > fromX && y > fromY && (isAdded ? x > fromX : x > fromX + 1)) {
      moves.push('same');
      x -= 1;
      y -= 1;
    }
    moves.push(isAdded ? 'added' : 'removed');
    x = fromX;
    y = fromY;
  }
  for (; x > 0; x -= 1) moves.push('same');
  return moves.reverse();
}

/** For each number of differences, how far to the right each diagonal leads; undefined: there are more than are looked for. */
function searchPath(left: readonly string[], right: readonly string[]): Map<number, number>[] | undefined {
  const trace: Map<number, number>[] = [];
  let steps = 0;
  for (let d = 0; d <= Math.min(left.length + right.length, maxDifferences); d += 1) {
    const before = trace[d - 1];
    const reached = new Map<number, number>();
    trace.push(reached);
    for (let k = -d; k <= d; k += 2) {
      const isAdded = k === -d || (k !== d && (before?.get(k - 1) ?? -1) < (before?.get(k + 1) ?? -1));
      let x = d === 0 ? 0 : isAdded ? (before?.get(k + 1) ?? 0) : (before?.get(k - 1) ?? 0) + 1;
      const from = x;
      while (x < left.length && x - k < right.length && left[x] === right[x - k]) x += 1;
      reached.set(k, x);
      steps += x - from + 1;
      if (steps > maxSteps) return undefined;
      if (x >= left.length && x - k >= right.length) return trace;
    }
  }
  return undefined;
}

/** Equal lines around those that differ. */
const contextLines = 3;
const maxShownLines = 2_000;

const marks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };

/** The lines that differ, each with its sign and number, and what is around them. @param names of the two */
export function diffView(lines: readonly DiffLine[], names: { left: string; right: string }): Html {
  const { left, right } = names;
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') for (let at = index - contextLines; at <= index + contextLines; at += 1) near.add(at);
  });
  const rows: Html[] = [];
  let skipped = 0;
  let shown = 0;
  lines.forEach((line, index) => {
    if (!near.has(index) || shown >= maxShownLines) {
      skipped += 1;
      return;
    }
    if (skipped > 0) rows.push(gap(plural(skipped, 'equal line')));
    skipped = 0;
    shown += 1;
    rows.push(lineRow(line));
  });
  const isCut = shown >= maxShownLines;
  if (skipped > 0) rows.push(gap(isCut ? `${count(skipped)} more lines are not shown` : plural(skipped, 'equal line')));
  return html`<div class="table-frame diff-frame" tabindex="0"><table class="diff"><caption class="visually-hidden">Lines of ${left} (−) and ${right} (+) that differ</caption>
<thead class="visually-hidden"><tr><th scope="col">Line in ${left}</th><th scope="col">Line in ${right}</th><th scope="col">Sign</th><th scope="col">Text</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

const lineRow = ({ kind, text, left, right }: DiffLine): Html =>
  html`<tr class="diff-${kind}"><td class="diff-number">${left}</td><td class="diff-number">${right}</td><td class="diff-mark">${marks[kind]}</td><td><code>${kind === 'removed' ? html`<del>${text}</del>` : kind === 'added' ? html`<ins>${text}</ins>` : text}</code></td></tr>`;

const gap = (text: string): Html => html`<tr class="diff-gap"><td colspan="4">${text}</td></tr>`;

/**
 * Somebody else has saved something since the form was opened: what differs, side by side.
 *
 * @param yours as it was entered, by field. @param theirs as it is saved now
 */
export function bothVersions(yours: URLSearchParams, theirs: URLSearchParams): Html {
  const rows = differing(yours, theirs);
  return html`<div class="error-summary" role="alert" tabindex="-1" autofocus><h2>Somebody else has changed it in the meantime</h2>
<p>Nothing was saved. Your version is still in the form: save it again to replace the other one, or take over from it what you want to keep.</p></div>
${
  rows.length > 0 &&
  table({
    caption: 'What differs',
    rows,
    columns: [
      { header: 'Field', cell: ({ name }) => name.replaceAll('/', ', ').replaceAll('_', ' ') },
      { header: 'Your version', cell: (row) => shown(row.yours) },
      { header: 'Saved now', cell: (row) => shown(row.theirs) },
    ],
  })
}`;
}

interface Differing {
  name: string;
  yours: string;
  theirs: string;
}

/** None: somebody, perhaps the same form sent twice, has saved just that. */
export const differing = (yours: URLSearchParams, theirs: URLSearchParams): Differing[] =>
  [...new Set([...theirs.keys(), ...yours.keys()])]
    .map((name) => ({ name, yours: plain(yours.get(name)), theirs: plain(theirs.get(name)) }))
    .filter((row) => row.yours !== row.theirs);

/** Forms end lines in their own way. */
const plain = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n').trim();

const shown = (text: string): Html =>
  text === '' ? html`<span class="muted">empty</span>` : html`<code>${text}</code>`;
