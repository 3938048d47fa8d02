/** Puts times into the reader's zone. The attribute keeps the instant with its microseconds; the title shows it. */
const toMinute: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
};
const minutes = new Intl.DateTimeFormat(undefined, toMinute);
const milliseconds = new Intl.DateTimeFormat(undefined, { ...toMinute, second: '2-digit', fractionalSecondDigits: 3 });

/** Also for rows that were added later. */
export function localizeTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll('time')) {
    const instant = new Date(element.dateTime);
    const format = element.dataset['to'] === 'minute' ? minutes : milliseconds;
    if (!Number.isNaN(instant.getTime())) element.textContent = format.format(instant);
  }
}

localizeTimes(document);
