import type { FastifyReply } from 'fastify';
import type { ReplayRow } from '#lib/replay-store';
import { replayJson } from '../resources/replay.ts';

/** A replay has begun: where it stands, and where that can be asked. */
export const sendReplay = (reply: FastifyReply, replay: ReplayRow): FastifyReply =>
  reply.code(202).header('location', `/v1/replays/${replay.id}`).send(replayJson(replay));
