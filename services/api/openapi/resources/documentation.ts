import type { DocumentedResource } from '../operation.ts';

export const documentedDocumentation: DocumentedResource = {
  tag: 'Documentation',
  description: 'This, for programs and for people.',
  schemas: {},
};
