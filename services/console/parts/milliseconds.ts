/** `0.4 ms`, `46 ms`, `1.25 s`, `5 s`; a dash for a phase that did not take place. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms >= 1_000) return `${Number((ms / 1_000).toFixed(2))} s`;
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toFixed(1))} ms`;
}
