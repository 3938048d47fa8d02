/**
 * Bodies with documents and schemas of tenants are not parsed on this thread: their bytes go to a worker (#lib/schema-checks), and `request.body` is what
 * it gives back, in which an empty value stands for each document. The documents themselves are in `request.documents`, as texts.
 *
 * Runs before all else that looks at a body. A client that leaves ends the work for it: `request.left`.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { clientLeft } from '#lib/net';
import { AppError } from '#lib/runtime';
import type { DocumentJobs, ImportedText, ReadRequest, Undone } from '#lib/schema-checks';
import { contentEncoded, isEncoded, notJson } from './handle-error.ts';
import { sendInvalid } from './send-problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The members of the body that are a schema or an example; or the one that is a document of many types. */
    documents?: { members: readonly string[] } | { imported: string };
  }
  interface FastifyRequest {
    documents: ReadDocuments;
    /** Aborts when the client has left without its answer. */
    left: AbortSignal;
  }
}

interface ReadDocuments {
  /** JSON by the member's name. */
  members: Readonly<Record<string, string>>;
  /** The types of a document, in its order. */
  types: readonly ImportedText[];
}

const none: ReadDocuments = { members: {}, types: [] };
const never = new AbortController().signal;

export function readDocuments(app: FastifyInstance, { documents }: { documents: DocumentJobs }): void {
  app.decorateRequest('documents', { getter: () => none });
  app.decorateRequest('left', { getter: () => never });
  app.addHook('preValidation', async (request, reply) => {
    const { documents: asked } = request.routeOptions.config;
    if (asked === undefined) return undefined;
    const left = clientLeft(reply);
    Object.defineProperty(request, 'left', { value: left });
    if (!Buffer.isBuffer(request.body)) return undefined;
    const whose = { tenant: request.tenant, signal: left };
    const read =
      'members' in asked
        ? await documents.read(request.body, asked.members, whose)
        : await documents.readDocument(request.body, asked.imported, whose);
    if (read.kind === 'no_json') throw isEncoded(request.headers['content-encoding']) ? contentEncoded : notJson;
    if (read.kind === 'refused') return sendInvalid(reply, read.errors);
    if (read.kind === 'undone') return sendTooMuch(reply, read);
    request.body = bodyOf(read);
    request.bodyText = read.body ?? '';
    const given: ReadDocuments = {
      members: read.kind === 'read' ? read.members : {},
      types: read.kind === 'read_document' ? read.types : [],
    };
    Object.defineProperty(request, 'documents', { value: given });
    return undefined;
  });
}

const bodyOf = ({ body }: ReadRequest & { kind: 'read' | 'read_document' }): unknown =>
  body === undefined ? undefined : JSON.parse(body);

const sendTooMuch = (reply: FastifyReply, undone: Undone): FastifyReply =>
  sendInvalid(reply, [{ field: '(body)', message: tooMuch(undone, 'to read, which is the limit of a request') }]);

/**
 * The message for work that goes beyond a limit.
 *
 * @throws AppError store_unavailable if it may be done later
 */
export function tooMuch({ reason, limit }: Undone, words: string): string {
  if (reason === 'too_much') return `takes more than ${limit} ${words}`;
  throw new AppError('store_unavailable', reason === 'ended' ? 'the client has left' : 'documents are not read now');
}
