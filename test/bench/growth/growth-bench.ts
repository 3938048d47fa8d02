import { median } from '../support/median.ts';
import type { Bench } from '../support/bench.ts';
import { onTestServers } from '../support/on-test-servers.ts';

interface Growth<Number extends string> {
  name: string;
  /** What grows, after a number. */
  of: string;
  /** What the cost is one of: `µs of the dispatcher a delivery`. */
  unit: string;
  small: number;
  large: number;
  turns: number;
  /** What else can be set, with its default. */
  numbers: Readonly<Record<Number, number>>;
  setUp: string;
  /** Begins what all turns share. */
  begin(numbers: Readonly<Record<Number, number>>): Promise<Growing>;
}

export interface Growing {
  /** @throws Error where something of what was sent is missing */
  costAt(size: number, turn: number): Promise<number>;
  end(): Promise<void>;
}

const mostGrowth = 1.2;

/** What one of something costs while there is little of something else, and while there is much of it; in turns. */
export const growthBench = <Number extends string>(
  growth: Growth<Number>,
): Bench<Number | 'small' | 'large' | 'turns'> => {
  const { name, of, unit, small, large, turns, setUp } = growth;
  return {
    name,
    says: `${unit}, with ${small.toLocaleString('en-US')} ${of} and with ${large.toLocaleString('en-US')}`,
    numbers: { small, large, turns, ...growth.numbers },
    run: onTestServers(async ({ numbers, say }) => {
      const [few, many]: [number[], number[]] = [[], []];
      const growing = await growth.begin(numbers);
      try {
        for (let turn = 1; turn <= numbers.turns; turn += 1) {
          few.push(await growing.costAt(numbers.small, 2 * turn - 1));
          many.push(await growing.costAt(numbers.large, 2 * turn));
          say(`turn ${turn}: ${few.at(-1)?.toFixed(1)}, ${many.at(-1)?.toFixed(1)} ${unit}`);
        }
      } finally {
        await growing.end();
      }
      const beside = `with ${numbers.small.toLocaleString('en-US')}`;
      return {
        setUp: `${setUp}; ${numbers.turns} turns`,
        figures: [
          {
            ...{ name: `with ${numbers.large.toLocaleString('en-US')} ${of}`, unit, values: many },
            ...{ ceiling: { name: beside, values: few }, aim: { atMost: mostGrowth } },
          },
        ],
        notes: [`median ${median(few).toFixed(1)} and ${median(many).toFixed(1)} ${unit}`],
        unaccounted: [],
      };
    }),
  };
};
