/** Facts from the logs of the API's processes. */
export interface ApiLog {
  onLine(name: string, line: string): void;
  /** Lines of this event so far. */
  count(event: (typeof counted)[number]): number;
  /** Error lines: nothing in this run may cause any. */
  readonly errors: readonly string[];
}

const counted = ['idempotency.lease_lost', 'idempotency.commit_unknown'] as const;
/** pino's level of errors. */
const errorLevel = 50;

export function createApiLog(): ApiLog {
  const counts = new Map<string, number>();
  const errors: string[] = [];
  return {
    onLine(name, line) {
      const { event, level } = parseLine(line);
      if (level >= errorLevel) errors.push(`${name}: ${line}`);
      if (counted.some((each) => each === event)) counts.set(event, (counts.get(event) ?? 0) + 1);
    },
    count: (event) => counts.get(event) ?? 0,
    errors,
  };
}

/** A process that is killed may leave half a line. */
function parseLine(line: string): { event: string; level: number } {
  try {
    const { event = '', level = 0 } = JSON.parse(line) as { event?: string; level?: number };
    return { event, level };
  } catch {
    return { event: '', level: 0 };
  }
}
