/** Puts times into the reader's zone. The attribute keeps the instant with its microseconds; the title shows it. */
const format = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** Also for rows that were added later. */
export function localizeTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll('time')) {
    const instant = new Date(element.dateTime);
    if (!Number.isNaN(instant.getTime())) element.textContent = format.format(instant);
  }
}

localizeTimes(document);
