/** Rows of things with ids that sort by time, newest first. The id of a row is the end of its link. */

export const keptRows = 200;

/** By the attribute: the address of a link that is in no document yet can’t be resolved. */
export const idOf = (row: HTMLTableRowElement): string =>
  row.querySelector('a')?.getAttribute('href')?.split('/').pop() ?? '';

export const rowsById = (body: HTMLTableSectionElement): Map<string, HTMLTableRowElement> =>
  new Map([...body.rows].map((row) => [idOf(row), row]));

export function insertRow(row: HTMLTableRowElement, body: HTMLTableSectionElement): void {
  const id = idOf(row);
  row.classList.add('live-added');
  body.insertBefore(row, [...body.rows].find((other) => idOf(other) < id) ?? null);
  while (body.rows.length > keptRows) body.deleteRow(-1);
}

/**
 * Whether a row has its place among those that are shown. An old event that has changed is not new: its place is on another page. One that was
 * erased is not news either.
 */
export function belongs(row: HTMLTableRowElement, body: HTMLTableSectionElement, hasOlder: boolean): boolean {
  if (row.querySelector('.badge-idle') !== null) return false;
  const last = body.rows[body.rows.length - 1];
  return last === undefined || idOf(row) > idOf(last) || (!hasOlder && body.rows.length < keptRows);
}

/** A reader is at the rows: the pointer on them, the focus in them, a selection, or scrolled down. */
export function isRead(rows: HTMLElement): boolean {
  const selection = getSelection();
  const isSelected =
    selection !== null && !selection.isCollapsed && rows.contains(selection.getRangeAt(0).commonAncestorContainer);
  return isSelected || rows.matches(':hover, :focus-within') || rows.getBoundingClientRect().top < 0;
}
