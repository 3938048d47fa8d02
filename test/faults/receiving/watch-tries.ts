/** Tries that dedup or projector spent on a record, by their logs: no outage may cost one. */
export interface TryWatch {
  onLine(name: string, line: string): void;
  /** In words, what was spent since it was last asked. */
  takeSpent(): string[];
}

const spending = ['record.set_aside', 'record.dead_lettered', 'letter.not_projected'];
const shown = 3;

export function watchTries(): TryWatch {
  let spent: string[] = [];
  return {
    onLine(name, line) {
      if (spending.some((event) => line.includes(event))) spent.push(`${name}: ${line}`);
    },
    takeSpent() {
      const taken = spent;
      spent = [];
      return taken.length === 0 ? [] : [`${taken.length} tries were spent, the first:`, ...taken.slice(0, shown)];
    },
  };
}
