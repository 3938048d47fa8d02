import { readPayload } from '../../api-calls/read-payload.ts';
import { bytes, page } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { payloadPage } from '../../pages/events/payload-page.ts';
import { payloadText } from '../../parts/payload-text.ts';

/** `T/events/{id}/payload`: for reading; with `raw=1` the bytes as text, with `download=1` as a file. 410 once it is kept no longer. */
export const eventPayload = tenantPage({
  path: '/events/:id/payload',
  title: 'Payload',
  section: 'events',
  get: {
    capability: 'view',
    query: ['raw', 'download'],
    async answer({ api, params: { id }, query, t }) {
      const payload = await readPayload(api, id);
      if (query.has('raw') || query.has('download'))
        return bytes(payload.bytes, `${id}.${extensionOf(payload.contentType)}`, query.has('raw'));
      return page(payloadPage(id, { t, payload, text: await payloadText(payload) }));
    },
  },
});

const extensionOf = (contentType: string): string => (/[/+]json\b/.test(contentType) ? 'json' : 'bin');
