import type { FastifyReply, FastifyRequest } from 'fastify';
import { maxPayloadBytes } from '#lib/contract';
import { prefersHtml, type ProblemCode, problem, problemCodes, problemContentType, problemPage } from '#lib/problem';
import { ingressLimits } from '../limits.ts';
import { discardRest, type DiscardLimits } from '../receiving/body-reader.ts';

interface Body {
  contentType: string;
  bytes: Buffer;
}

const codes = Object.keys(problemCodes) as ProblemCode[];

/** Problems at a limit name it. */
const limits: Partial<Record<ProblemCode, keyof typeof reached>> = {
  rate_limited: 'source_rate',
  payload_too_large: 'webhook_body',
};

const reached: Readonly<Record<'source_rate' | 'webhook_body', string>> = {
  source_rate: 'The source has reached its rate',
  webhook_body: `The body of a webhook may have ${maxPayloadBytes.toLocaleString('en')} bytes`,
};

const detailOf = (limit: keyof typeof reached): string =>
  `${reached[limit]} (${limit}), raised by ${ingressLimits[limit].raisedBy}`.replaceAll('`', '');

/** As bytes: to a text, Fastify would add a charset, which this media type does not have. */
const bodyOf = (code: ProblemCode, detail?: string): Body => {
  const limit = limits[code];
  const said = detail ?? (limit && detailOf(limit));
  return {
    contentType: problemContentType,
    bytes: Buffer.from(JSON.stringify({ ...problem(code, said), ...(limit !== undefined && { limit }) })),
  };
};
const problems = new Map<ProblemCode, Body>(codes.map((code) => [code, bodyOf(code)]));
/** Problems that a person may see who opens an address in a browser. */
const pages = new Map<ProblemCode, Body>(
  codes.flatMap((code) => {
    const page = problemPage(code);
    return page === undefined ? [] : [[code, { contentType: 'text/html; charset=utf-8', bytes: Buffer.from(page) }]];
  }),
);

/** Answers with the problem, and sees to it that the sender can read the answer while it is still sending its body. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ProblemCode,
  discardLimits: DiscardLimits,
  detail?: string,
): FastifyReply {
  const page = pages.get(code);
  if (page !== undefined) reply.header('vary', 'accept');
  const plain = detail === undefined ? problems.get(code) : bodyOf(code, detail);
  const body = page !== undefined && prefersHtml(request.headers.accept) ? page : plain;
  reply.code(problemCodes[code].status).header('content-type', body?.contentType);
  // A body that did not come in its time is not waited for again.
  if (code === 'request_timeout') reply.header('connection', 'close');
  else discardRest(request.raw, discardLimits);
  return reply.send(body?.bytes);
}
