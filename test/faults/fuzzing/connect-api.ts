import { type Client, connect } from '#client';
import type { Stack } from '../../support/stack.ts';

export const connectApi = ({ apiUrl, adminKey }: Stack, tenant?: string): Client =>
  connect(apiUrl, {
    credential: adminKey,
    tenant,
    // A connection may have been closed while this process was busy making cases. A POST has an idempotency key.
    async resend(send) {
      const answer = await send();
      return 'noAnswer' in answer ? send() : answer;
    },
  });
