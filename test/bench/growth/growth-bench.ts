import type { Bench } from '../support/bench.ts';
import { median } from '../support/median.ts';
import { onTestServers } from '../support/on-test-servers.ts';

interface Growth<Number extends string> {
  name: string;
  /** The thing that grows, as it reads after a number. */
  of: string;
  /** The unit of the cost: `µs of the dispatcher a delivery`. */
  unit: string;
  small: number;
  /** Measured once each, for the notes. */
  between: readonly number[];
  large: number;
  turns: number;
  /** Other settings, with their defaults. */
  numbers: Readonly<Record<Number, number>>;
  setUp: string;
  /** Begins what all turns share. */
  begin(numbers: Readonly<Record<Number, number>>): Promise<Growing>;
}

export interface Growing {
  /** @throws Error where something of what was sent is missing */
  costAt(size: number, turn: number): Promise<Cost>;
  end(): Promise<void>;
}

export interface Cost {
  each: number;
  /** Counts that may explain the cost. */
  counted?: string;
}

const mostGrowth = 1.2;

/** Compares the cost of one operation on little data and on much data, in turns. */
export const growthBench = <Number extends string>(
  growth: Growth<Number>,
): Bench<Number | 'small' | 'large' | 'turns'> => {
  const { name, of, unit, small, between, large, turns, setUp } = growth;
  return {
    name,
    says: `${unit}, with ${sized(small)} ${of} and with ${sized(large)}`,
    numbers: { small, large, turns, ...growth.numbers },
    run: onTestServers(async ({ numbers, say }) => {
      const costs = new Map<number, Cost[]>();
      const growing = await growth.begin(numbers);
      let measured = 0;
      const measure = async (size: number): Promise<void> => {
        const cost = await growing.costAt(size, (measured += 1));
        costs.set(size, [...(costs.get(size) ?? []), cost]);
        say([`with ${sized(size)}: ${cost.each.toFixed(1)} ${unit}`, cost.counted ?? []].flat().join('; '));
      };
      try {
        for (let turn = 1; turn <= numbers.turns; turn += 1) {
          await measure(numbers.small);
          await measure(numbers.large);
        }
        for (const size of between) if (size > numbers.small && size < numbers.large) await measure(size);
      } finally {
        await growing.end();
      }
      const valuesAt = (size: number): number[] => (costs.get(size) ?? []).map(({ each }) => each);
      const sizes = [...costs.keys()].sort((a, b) => a - b);
      return {
        setUp: `${setUp}; ${numbers.turns} turns`,
        figures: [
          {
            name: `with ${sized(numbers.large)} ${of}`,
            unit,
            values: valuesAt(numbers.large),
            ceiling: { name: `with ${sized(numbers.small)}`, values: valuesAt(numbers.small) },
            aim: { atMost: mostGrowth },
          },
        ],
        notes: sizes.map((size) => {
          const counted = costs.get(size)?.at(-1)?.counted;
          const cost = `${sized(size)} ${of}: ${median(valuesAt(size)).toFixed(1)} ${unit}`;
          return counted === undefined ? cost : `${cost}; ${counted}`;
        }),
        unaccounted: [],
      };
    }),
  };
};

const sized = (count: number): string => count.toLocaleString('en-US');
