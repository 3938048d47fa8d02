import type { RouteOptions } from 'fastify';
import type { Schema } from '#lib/api-contract';

/** The request schemas of a route. */
interface RouteSchema {
  body?: ObjectSchema;
  querystring?: ObjectSchema;
}

export interface ObjectSchema {
  type: 'object';
  additionalProperties: boolean;
  required?: readonly string[];
  properties: Readonly<Record<string, Schema>>;
}

export const schemaOf = ({ schema }: Pick<RouteOptions, 'schema'>): RouteSchema => (schema ?? {}) as RouteSchema;
