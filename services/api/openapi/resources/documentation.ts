import type { DocumentedResource } from '../operation.ts';

export const documentedDocumentation: DocumentedResource = {
  tag: 'Documentation',
  description: 'This, for programs and for people.',
  schemas: {},
  operations: {
    'GET /openapi.json': {
      id: 'getOpenApi',
      summary: 'This document',
      answers: { 200: { is: 'OpenAPI 3.1', body: { type: 'object' } } },
      isPublic: true,
    },
    'GET /docs': {
      id: 'getDocs',
      summary: 'This document as a page',
      answers: { 200: { is: 'A page of HTML that loads nothing', body: { type: 'string' }, contentType: 'text/html' } },
      isPublic: true,
    },
  },
};
