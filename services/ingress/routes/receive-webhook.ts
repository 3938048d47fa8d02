import type { RouteOptions } from 'fastify';
import type { Clock } from '#lib/runtime';
import type { Tracer } from '#lib/telemetry';
import type { Answer } from '../answering/answer.ts';
import type { AnswerDelay } from '../load-shedding/answer-delay.ts';
import type { SendContinue } from '../receiving/expect-continue.ts';
import type { ReceiveWebhook } from '../receiving/receive-webhook.ts';
import { senderOf } from '../receiving/webhook-request.ts';
import { webhookRoute } from './webhook-route.ts';

interface Deps {
  receive: ReceiveWebhook;
  answer: Answer;
  answerDelay: Pick<AnswerDelay, 'wait'>;
  tracer: Tracer;
  clock: Clock;
  sendContinue: SendContinue;
}

/** `POST /v1/webhooks/{source_id}` */
export const receiveWebhookRoute = ({ receive, sendContinue, ...deps }: Deps): RouteOptions =>
  webhookRoute({
    ...deps,
    method: 'POST',
    decide: (request, reply, traceparent) =>
      receive({
        sourceId: request.params.source_id,
        sender: senderOf(request),
        request: request.raw,
        traceparent,
        wantBody: () => sendContinue(request.raw, reply.raw),
      }),
  });
