/** The time between two instants of the API, which have microseconds: `+0.041 s`, `+2 min 5 s`, `+3 h 12 min`, `+2 d 4 h`. */
export function elapsed(from: string, to: string): string {
  const micros = microsOf(to) - microsOf(from);
  const sign = micros < 0 ? '−' : '+';
  const seconds = Math.abs(micros) / 1e6;
  if (seconds < 60) return `${sign}${seconds.toFixed(3)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${sign}${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${sign}${hours} h ${minutes % 60} min` : `${sign}${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Since 1970: a safe integer until the year 2255. */
function microsOf(instant: string): number {
  const [, beyond = ''] = /\.\d{3}(\d{1,3})/.exec(instant) ?? [];
  return Date.parse(instant) * 1_000 + Number(beyond.padEnd(3, '0'));
}
