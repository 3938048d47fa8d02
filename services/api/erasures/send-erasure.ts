import type { FastifyReply } from 'fastify';
import { erasureOf, type ErasureRow } from './erasure-row.ts';

/** Answers that an erasure has begun, or was begun before, with its URL. */
export const sendErasure = (reply: FastifyReply, erasure: ErasureRow): FastifyReply =>
  reply.code(202).header('location', `/v1/erasures/${erasure.id}`).send(erasureOf(erasure));
