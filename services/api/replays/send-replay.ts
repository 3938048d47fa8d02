import type { FastifyReply } from 'fastify';
import type { ReplayRow } from '#lib/replay-store';
import { replayOf } from './queries.ts';

/** Answers that a replay has begun, with its status and its URL. */
export const sendReplay = (reply: FastifyReply, replay: ReplayRow): FastifyReply =>
  reply.code(202).header('location', `/v1/replays/${replay.id}`).send(replayOf(replay));
