import type { RouteOptions } from 'fastify';
import type { Schema } from '#lib/api-contract';

/** The request schemas of a route. */
export interface RouteSchema {
  body?: ObjectSchema;
  querystring?: ObjectSchema;
}

export interface ObjectSchema {
  type: 'object';
  additionalProperties: boolean;
  required?: readonly string[];
  properties: Readonly<Record<string, Schema>>;
}

export const schemaOf = ({ schema }: RouteOptions): RouteSchema => (schema ?? {}) as RouteSchema;
