import { html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { readTenantNames } from '../../api-calls/tenant-names.ts';
import { page } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { deadLetterPage } from '../../pages/dead-letters/dead-letter-page.ts';
import { postForm } from '../../parts/form.ts';
import { payloadText } from '../../parts/payload-text.ts';
import { rawMember } from '../../parts/raw-member.ts';
import { wholeId } from '../../parts/short-id.ts';
import type { WholeDeadLetter } from './dead-letter.ts';

/** `T/dead-letters/:id` */
export const deadLetter = tenantPage({
  path: '/dead-letters/:id',
  title: 'Dead letter',
  section: 'dead_letters',
  get: {
    async answer(context) {
      const { api, params, t, can } = context;
      const { bytes } = await api.bytes(path`/dead-letters/${params.id}`);
      const text = bytes.toString();
      const letter = JSON.parse(text) as WholeDeadLetter;
      const mayReplay = can('write') && letter.status === 'dead' && !letter.shortened;
      return page({
        title: `Dead letter: ${letter.event_type ?? letter.reason.replaceAll('_', ' ')}`,
        subtitle: wholeId(letter.id),
        crumbs: [{ label: 'Dead letters', href: `${t}/dead-letters` }],
        ...(mayReplay && {
          actions: postForm(context, {
            action: `${t}/dead-letters/${letter.id}/replay`,
            submit: 'Replay it',
            isInline: true,
          }),
        }),
        body: html`${deadLetterPage({
          letter,
          payload: await shownPayload(letter, text),
          naming: { t, names: await readTenantNames(context) },
        })}`,
      });
    },
  },
});

/** @param answer the text of the dead letter: its payload is shown as it came */
async function shownPayload({ payload_encoding: encoding, payload: value }: WholeDeadLetter, answer: string) {
  if (encoding === null) return undefined;
  const bytes =
    encoding === 'json' ? Buffer.from(rawMember(answer, 'payload') ?? '') : Buffer.from(String(value), 'base64');
  const payload = { bytes, contentType: '', contentEncoding: undefined };
  return { payload, text: await payloadText(payload) };
}
