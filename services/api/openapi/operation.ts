import type { Access, Documentation, Resource, Schema, Tag } from '#lib/api-contract';

declare module 'fastify' {
  interface FastifyContextConfig extends Access {
    /** Documentation of the route; the API does not start without it. */
    operation?: Operation;
  }
}

/** Documentation of a route. The route's schemas describe its input. */
export interface Operation extends Documentation {
  /** Descriptions of query parameters that need more than their names. */
  parameters?: Readonly<Record<string, string | undefined>>;
}

/** One kind of resource: its routes have its tag, and all answers may refer to its schemas by name. */
export interface DocumentedResource {
  tag: Tag;
  description: string;
  schemas: Readonly<Record<string, Schema>>;
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const documented = ({ tag, description, components }: Resource): DocumentedResource => ({
  tag,
  description,
  schemas: Object.fromEntries(components.map(({ name, schema }) => [name, schema])),
});
