/** `203 B`, `1.2 kB`, `1 MB`: decimal, as storage is counted. */
export function byteCount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 999_950 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}
