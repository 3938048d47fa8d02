import type { RouteOptions } from 'fastify';
import type { Clock } from '#lib/runtime';
import type { Tracer } from '#lib/telemetry';
import { answerChallenge } from '../answering/answer-challenge.ts';
import type { Answer } from '../answering/answer.ts';
import type { AnswerDelay } from '../load-shedding/answer-delay.ts';
import { senderOf } from '../receiving/webhook-request.ts';
import type { SourceDirectory } from '../sources/source-directory.ts';
import { webhookRoute } from './webhook-route.ts';

interface Deps {
  sources: Pick<SourceDirectory, 'known' | 'lookUp' | 'recent'>;
  answer: Answer;
  answerDelay: Pick<AnswerDelay, 'wait'>;
  tracer: Tracer;
  clock: Clock;
}

/** `GET /v1/webhooks/{source_id}`, and HEAD the same. */
export const answerChallengeRoute = ({ sources, ...deps }: Deps): RouteOptions =>
  webhookRoute({
    ...deps,
    method: ['GET', 'HEAD'],
    decide: (request) =>
      answerChallenge(sources, {
        sourceId: request.params.source_id,
        sender: senderOf(request),
        query: request.query,
      }),
  });
