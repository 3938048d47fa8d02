import { type StatDimension, statDimensions } from '#lib/contract';
import { countedSeries, type CountedSeries, type StatRow } from '#lib/event-store';
import { keyOf } from '../facts.ts';

/** A fact that is counted once in each of the dimensions that it has. */
interface Counted {
  tenant: string;
  minute: string;
  dimensions: Readonly<Partial<Record<StatDimension, string>>>;
  series: CountedSeries;
  n: number;
}

export interface MinuteCounts {
  add(counted: Counted): void;
  /** One for each dimension, key and minute. */
  rows(): StatRow[];
}

const nothing = Object.fromEntries(countedSeries.map((series) => [series, 0])) as Record<CountedSeries, number>;

/** Adds up what a batch counts: there are few rows, however many things. What is the same in everything is added up first. */
export function createMinuteCounts(): MinuteCounts {
  const same = new Map<string, Counted>();

  function rows(): StatRow[] {
    const byName = new Map<string, StatRow>();
    for (const { tenant, minute, dimensions, series, n } of same.values())
      for (const dimension of statDimensions) {
        const key = dimensions[dimension];
        if (key === undefined || n === 0) continue;
        const name = keyOf(tenant, dimension, key, minute);
        const row = byName.get(name) ?? { tenant, dimension, key, at: minute, ...nothing };
        byName.set(name, row);
        row[series] += n;
      }
    return [...byName.values()];
  }

  return {
    add(counted) {
      const { source, endpoint, type, outcome } = counted.dimensions;
      const name = `${counted.tenant}\0${counted.minute}\0${counted.series}\0${source}\0${type}\0${endpoint}\0${outcome}`;
      const known = same.get(name);
      if (known === undefined) same.set(name, { ...counted });
      else known.n += counted.n;
    },
    rows,
  };
}

/** The minute of an instant in RFC 3339, UTC. */
export const minuteOf = (at: string): string => `${at.slice(0, 16)}:00.000000Z`;
