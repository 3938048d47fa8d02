import { operation } from './operation.ts';
import { rotatedSecret, rotation } from './sources.ts';

export const rotateEndpointSecret = operation({
  method: 'POST',
  path: '/v1/endpoints/:id/rotate-secret',
  tag: 'Endpoints',
  id: 'rotateEndpointSecret',
  summary: 'Rotate the secret of an endpoint; during the overlap, deliveries are signed with both secrets',
  access: { capability: 'secrets', audit: 'endpoint.rotate_secret' },
  body: rotation,
  answers: { 200: { is: 'The new secret', body: rotatedSecret.ref } },
  errors: ['conflict'],
  conditional: true,
});
