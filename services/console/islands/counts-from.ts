/** Counts down to when a change counts. Without a script the sentence around it says the time. */

/** A clock that differs from the server's makes it no longer than a change takes (`endpointSettlingMs`). */
const longestMs = 2_000;

for (const element of document.querySelectorAll<HTMLElement>('[data-counts-from]')) {
  const leftMs = Math.min(Date.parse(element.dataset['countsFrom'] ?? '') - Date.now(), longestMs);
  const endsAtMs = performance.now() + (Number.isNaN(leftMs) ? 0 : leftMs);
  const show = (): void => {
    const left = Math.ceil((endsAtMs - performance.now()) / 1_000);
    element.textContent = left > 0 ? ` (in ${left} s)` : ' (by now)';
    if (left > 0) setTimeout(show, 200);
  };
  show();
}
