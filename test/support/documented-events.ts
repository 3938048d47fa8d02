import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The example of each operational event in docs/operational-events.md, by the heading of its section. */
export const documentedEvents: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(
  readFileSync(join(import.meta.dirname, '../../docs/operational-events.md'), 'utf8')
    .split(/^## /m)
    .flatMap((section) => {
      const [, heading = '', example] = /^(hookline\.[^\n]+)\n.*^```json\n(.*)^```/ms.exec(section) ?? [];
      return example === undefined ? [] : [[heading, JSON.parse(example) as Record<string, unknown>] as const];
    }),
);

/** The names of the members that the page shows, in their order. */
export const documentedMembers = (type: string): string[] => Object.keys(documentedEvents.get(type) ?? {});
