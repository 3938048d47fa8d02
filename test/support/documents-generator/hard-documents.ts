import {
  chained,
  circular,
  deepSchema,
  type Document,
  doubling,
  manyRefs,
  refsToProperties,
  sharing,
} from './shapes.ts';

export const hardKinds = ['wide', 'deep', 'shared', 'circular', 'chained'] as const;
type HardKind = (typeof hardKinds)[number];

const between = (random: () => number, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

/** @param random uniform in [0, 1), such as a seededRandom */
export function hardDocument(kind: HardKind, random: () => number): Document {
  switch (kind) {
    case 'wide':
      return manyRefs(between(random, 1_000, 16_000));
    case 'deep':
      return { openapi: '3.1.0', webhooks: { hook: bodyOf(deepSchema(between(random, 2, 400))) } };
    case 'shared':
      return sharing({ webhooks: between(random, 1, 4_000), bytes: between(random, 1_000, 900_000) });
    case 'circular':
      return circular(between(random, 1, 300));
    case 'chained':
      return chained(between(random, 2, 20_000));
  }
}

export function hardSchema(kind: HardKind, random: () => number): object {
  switch (kind) {
    case 'wide':
      return refsToProperties({ refs: between(random, 1, 900), properties: between(random, 1, 1_800) });
    case 'deep':
      return deepSchema(between(random, 2, 400));
    case 'shared':
      return { $defs: halving(between(random, 2, 40)), $ref: '#/$defs/l0' };
    case 'circular':
      return doubling(between(random, 1, 12));
    case 'chained':
      return { $ref: '#/$defs/c0', $defs: chainOf(between(random, 2, 900)) };
  }
}

const bodyOf = (schema: object): object => ({ post: { requestBody: { content: { 'application/json': { schema } } } } });

/** Each level refers to the next one twice: the fields double. */
const halving = (levels: number): object =>
  Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = level === levels - 1 ? {} : { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { type: 'object', properties: { a: next, b: next } }];
    }),
  );

const chainOf = (links: number): object =>
  Object.fromEntries(
    Array.from({ length: links }, (_, index) => [
      `c${index}`,
      index === links - 1 ? { type: 'string' } : { properties: { n: { $ref: `#/$defs/c${index + 1}` } } },
    ]),
  );
