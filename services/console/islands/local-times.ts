/** Puts times into the reader's zone. The attribute keeps the instant with its microseconds; the title shows it. */
const thisYear: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' };
const toMinute: Intl.DateTimeFormatOptions = { ...thisYear, year: 'numeric' };
const minutes = new Intl.DateTimeFormat(undefined, toMinute);
const minutesOfThisYear = new Intl.DateTimeFormat(undefined, thisYear);
const milliseconds = new Intl.DateTimeFormat(undefined, { ...toMinute, second: '2-digit', fractionalSecondDigits: 3 });

/** Where the minute is enough, so is the month of this year. */
const minuteFormat = (instant: Date): Intl.DateTimeFormat =>
  instant.getFullYear() === new Date().getFullYear() ? minutesOfThisYear : minutes;

/** Also for rows that were added later. */
export function localizeTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll('time')) {
    const instant = new Date(element.dateTime);
    const format = element.dataset['to'] === 'minute' ? minuteFormat(instant) : milliseconds;
    if (!Number.isNaN(instant.getTime())) element.textContent = format.format(instant);
  }
}

localizeTimes(document);
