import type { ReceivedWebhook, Tags } from '#lib/contract';
import { createJsonBody, decodeContent, jsonOfBody } from '#lib/payload';
import { type Enforcement, schemaTagOf } from '#lib/schema-checks';
import type { Item } from './item.ts';

/**
 * The tags of webhooks whose body does not match the schema of their event type, where the tenant enforces it. A webhook is never refused by it: its
 * sender has its 2xx.
 *
 * They are no function of the record alone: an event that is published again after a crash is validated anew, by what its type is then.
 */
export type SchemaTags = (items: readonly Item[]) => Promise<ReadonlyMap<Item, Tags>>;

export function createSchemaTags(enforcement: Enforcement): SchemaTags {
  return async (items) => {
    const validated = await enforcement.validateAll(
      items.map(({ webhook, identity }) => ({
        tenant: webhook.tenant,
        type: identity.type,
        text: () => textOf(webhook),
      })),
    );
    const tags = new Map<Item, Tags>();
    for (const [index, item] of items.entries()) {
      const verdict = validated[index];
      if (verdict !== undefined && verdict.kind !== 'accepted') tags.set(item, schemaTagOf(verdict));
    }
    return tags;
  };
}

const byteOrderMark = '\uFEFF';

/** JSON as filters see it. Undefined for bytes in an encoding that is not known, unless they are JSON, and for too much to decode. */
async function textOf({ body, contentType, contentEncoding }: ReceivedWebhook): Promise<string | undefined> {
  const decoded = await decodeContent(body, contentEncoding);
  if ('undecoded' in decoded && decoded.undecoded === 'too_large') return undefined;
  const isUnknown = 'undecoded' in decoded && decoded.undecoded === 'unsupported';
  if (isUnknown && !createJsonBody(body).isJson()) return undefined;
  const content = 'content' in decoded ? decoded.content : body;
  const text = (isUnknown ? content : jsonOfBody(content, contentType)).toString();
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}
