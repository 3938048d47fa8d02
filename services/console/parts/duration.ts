/** Seconds as a person says them: `4 s`, `2 min 10 s`, `3 h`, `2 d 4 h`. Two units at most. */
export function duration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => whole >= size);
  const [unit, size] = units[first] ?? ['s', 1];
  const [nextUnit, nextSize] = units[first + 1] ?? ['', 0];
  const rest = nextSize === 0 ? 0 : Math.floor((whole % size) / nextSize);
  return `${Math.floor(whole / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${nextUnit}`}`;
}
