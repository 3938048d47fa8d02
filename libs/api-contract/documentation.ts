import { operationsOf, resource } from './operation.ts';

const operation = operationsOf('Documentation');

const openApi = {
  answers: { 200: { is: 'OpenAPI 3.1', body: { type: 'object' } } },
  isPublic: true,
} as const;

export const getOpenApi = operation('GET', '/openapi.json', {
  summary: 'Get this document as OpenAPI',
  ...openApi,
});

export const getOpenApiOfVersion = operation('GET', '/v1/openapi.json', {
  summary: 'Get this document as OpenAPI, below the version of the API',
  ...openApi,
});

export const getDocs = operation('GET', '/docs', {
  summary: 'Read this document as a web page',
  answers: { 200: { is: 'A self-contained HTML page', body: { type: 'string' }, contentType: 'text/html' } },
  isPublic: true,
});

export const documentation = resource({
  tag: 'Documentation',
  description: 'This documentation, for programs and for people.',
  components: [],
  operations: { getOpenApi, getOpenApiOfVersion, getDocs },
});
