import type { Page } from '../../page.ts';
import { deleteEndpoint, disableEndpoint } from './confirmed.ts';
import { editEndpoint } from './edit.ts';
import { endpoints } from './endpoints.ts';
import { newEndpoint } from './new.ts';
import { pauseEndpoint } from './pause.ts';
import { recoverEndpoint } from './recover.ts';
import { rotateSecret } from './rotate.ts';
import { endpoint } from './show.ts';
import { enableEndpoint, probeEndpoint, resumeEndpoint } from './switch.ts';
import { testEndpoint } from './test-endpoint.ts';

/** `T/endpoints`, and what is below it. */
export const endpointPages: readonly Page[] = [
  endpoints,
  newEndpoint,
  endpoint,
  editEndpoint,
  testEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  probeEndpoint,
  enableEndpoint,
  disableEndpoint,
  recoverEndpoint,
  rotateSecret,
  deleteEndpoint,
];
