import type { DocumentedResource } from '../operation.ts';

export const documentedDocumentation: DocumentedResource = {
  tag: 'Documentation',
  description: 'This documentation, for programs and for people.',
  schemas: {},
};
