import { formatMicros } from '#lib/clock';
import { createId } from '#lib/ids';
import { createLetterReplay } from '#lib/replay-store';
import { findLetterOfDelivery } from '../resources/dead-letter.ts';
import { findDelivery } from '../resources/delivery.ts';
import { type Route, route } from '../route.ts';
import { sendProblem } from '../send-problem.ts';
import { sendReplay } from '../send-replay.ts';

const body = { type: 'object', additionalProperties: false, properties: {} } as const;

/** `POST /v1/deliveries/{id}/retry`: replays the letter of a delivery that is dead-lettered. */
export const retryDelivery: Route = ({ postgres, clock, random }) =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/deliveries/:id/retry',
    schema: { body },
    preValidation: (request, _reply, done) => {
      request.body ??= {};
      done();
    },
    async handler(request, reply) {
      const { tenant } = request;
      const delivery = await findDelivery(postgres, tenant, request.params.id);
      if (delivery === undefined) return sendProblem(reply, 'not_found');
      if (delivery.status !== 'dead_lettered')
        return sendProblem(reply, 'conflict', `The delivery is ${delivery.status}, not dead_lettered`);
      const letter = await findLetterOfDelivery(postgres, tenant, delivery.id);
      if (letter === undefined) return sendProblem(reply, 'conflict', 'Its dead letter is not known yet: try again');
      if (letter.status !== 'dead')
        return sendProblem(reply, 'conflict', `The delivery is ${letter.status} by ${letter.replay_id}`);

      const nowMs = clock.nowMs();
      const replay = await postgres.transaction((tx) =>
        createLetterReplay(tx, {
          tenant,
          id: createId('rpl', nowMs, random),
          request: { delivery_id: delivery.id },
          ratePerSecond: null,
          createdAt: formatMicros(nowMs * 1_000),
          filter: { ids: [letter.id] },
          limit: 1,
        }),
      );
      if (replay.matched === 0) return sendProblem(reply, 'conflict', 'The delivery is replayed already');
      return sendReplay(reply, replay);
    },
  });
