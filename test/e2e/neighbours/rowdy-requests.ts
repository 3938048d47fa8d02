/** Requests that have stopped a process which serves everybody, in the sizes in which they were found. */
import { randomUUID } from 'node:crypto';

type Schema = Record<string, unknown>;

const webhook = (schema: Schema): Schema => ({
  post: { requestBody: { content: { 'application/json': { schema } } }, responses: { 200: { description: 'taken' } } },
});

const openapi = (webhooks: Schema, schemas: Schema): Schema => ({
  openapi: '3.1.0',
  info: { title: 'rowdy', version: '1' },
  webhooks,
  components: { schemas },
});

const many = (count: number, name: (n: number) => string, value: (n: number) => unknown): Schema =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), value(n)]));

const text = (n: number): Schema => ({ type: 'string', description: `the field ${n} ${'of many '.repeat(5)}` });
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const dry = (document: Schema): string => JSON.stringify({ document, dry_run: true });

const named = (schema: Schema): string => JSON.stringify({ name: `rowdy.${randomUUID()}`, schema });

export const rowdyRequests = () => ({
  /** 476 kB: all webhooks share one component. */
  sharedImport(webhooks: number): string {
    const shared = { type: 'object', properties: many(5_000, (n) => `field_${n}`, text) };
    return dry(
      openapi(
        many(
          webhooks,
          (n) => `shared.${n}`,
          () => webhook(reference('shared')),
        ),
        { shared },
      ),
    );
  },
  /** 3,000 references, each to the next. */
  chainedImport(): string {
    const chain = many(
      3_000,
      (n) => `c${n}`,
      (n) => (n === 2_999 ? { type: 'string' } : reference(`c${n + 1}`)),
    );
    return dry(openapi({ 'chained.one': webhook(reference('c0')) }, chain));
  },
  /** 700 references to 1,500 properties. */
  wideReferences(): string {
    const wide = {
      properties: many(
        1_500,
        (n) => `p${n}`,
        () => ({}),
      ),
    };
    return named({ $defs: { wide }, allOf: Array.from({ length: 700 }, () => ({ $ref: '#/$defs/wide' })) });
  },
  /** Each of its parts comes four times within the part above. */
  doubling(): string {
    const four = (name: string): Schema => ({ allOf: Array.from({ length: 4 }, () => ({ $ref: `#/$defs/${name}` })) });
    return named({ $defs: { a: four('a') }, allOf: [false, { $ref: '#/$defs/a' }] });
  },
  /** Takes long to compile. */
  slowType(): string {
    const level = (n: number): Schema =>
      n === 0 ? { type: 'string' } : { anyOf: [0, 1, 2].map(() => level(n - 1)), properties: { [`p${n}`]: {} } };
    return named({
      $defs: many(
        4,
        (n) => `d${n}`,
        () => level(5),
      ),
      oneOf: [0, 1, 2, 3].map((n) => ({ $ref: `#/$defs/d${n}` })),
    });
  },
  /** 0.95 MB. */
  unknownFields: (): string =>
    JSON.stringify({
      code: 'hp_none',
      ...many(
        70_000,
        (n) => `u${n}`,
        () => 1,
      ),
    }),
  /** 25 kB, which took 35 s. */
  leftImport(): string {
    const schemas = many(
      300,
      (n) => `s${n}`,
      (n) => ({ allOf: [n + 1, n + 2].filter((to) => to < 300).map((to) => reference(`s${to}`)) }),
    );
    return JSON.stringify({
      document: openapi(
        many(
          100,
          (n) => `left.${n}`,
          (n) => webhook(reference(`s${n}`)),
        ),
        schemas,
      ),
    });
  },
  /** 400 types of 6 kB, in documents of 100. */
  catalogs(): Schema[] {
    const type = (n: number): Schema => ({
      type: 'object',
      properties: many(60, (field) => `field_${n}_${field}`, text),
    });
    return [0, 1, 2, 3].map((part) =>
      many(
        100,
        (n) => `catalog.type-${100 * part + n}`,
        (n) => type(100 * part + n),
      ),
    );
  },
});
