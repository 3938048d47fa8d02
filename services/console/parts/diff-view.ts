import { html, type Html } from '#lib/html';
import type { DiffLine } from './line-diff.ts';

/** Equal lines around those that differ. */
const contextLines = 3;
const maxShownLines = 2_000;

const marks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };

interface DiffView {
  /** The names of the two. */
  left: string;
  right: string;
}

/** The lines that differ, each with its sign and number, and what is around them. */
export function diffView(lines: readonly DiffLine[], { left, right }: DiffView): Html {
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
    if (skipped > 0) rows.push(gap(skipped));
    skipped = 0;
    shown += 1;
    rows.push(lineRow(line));
  });
  if (skipped > 0) rows.push(shown < maxShownLines ? gap(skipped) : cut(skipped));
  return html`<div class="table-frame diff-frame" tabindex="0"><table class="diff"><caption class="visually-hidden">Lines of ${left} (−) and ${right} (+) that differ</caption>
<thead class="visually-hidden"><tr><th scope="col">Line in ${left}</th><th scope="col">Line in ${right}</th><th scope="col">Sign</th><th scope="col">Text</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

const lineRow = ({ kind, text, left, right }: DiffLine): Html =>
  html`<tr class="diff-${kind}"><td class="diff-number">${left}</td><td class="diff-number">${right}</td><td class="diff-mark">${marks[kind]}</td><td><code>${kind === 'removed' ? html`<del>${text}</del>` : kind === 'added' ? html`<ins>${text}</ins>` : text}</code></td></tr>`;

const gap = (skipped: number): Html =>
  html`<tr class="diff-gap"><td colspan="4">${skipped === 1 ? '1 equal line' : `${skipped.toLocaleString('en')} equal lines`}</td></tr>`;

const cut = (skipped: number): Html =>
  html`<tr class="diff-gap"><td colspan="4">${skipped.toLocaleString('en')} more lines are not shown</td></tr>`;
