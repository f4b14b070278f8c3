import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { aContainer, originalOf } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';

const app = useTestApp({ worker: 'inline', retryScheduleSeconds: [] });

/** A user with a container, and how they ask for its release. */
async function anAsker() {
  const user = await aUser(app);
  const token = await tokenOf(app, user);
  const { id } = await aContainer(app, user);
  const path = `v5/mediacontainer/${id}/releaseRequest`;
  const depths = async () => {
    const sql = 'SELECT depth FROM events WHERE customer_id = $1 ORDER BY id';
    return (await app.app.get(Database).query<{ depth: number }>(sql, [user.customerId])).rows.map(({ depth }) => depth);
  };
  const ask = async () => await call(`${app.url}/${path}`, { token, body: { message: 'please' } });
  return { user, token, containerId: id, path, depths, ask, mine: subscriptionsOf(app, token) };
}

describe('a chain of events', () => {
  it('that causes itself ends at depth 5, and the next one starts at 0', async () => {
    const { path, depths, ask, mine } = await anAsker();
    const { id } = await mine.made({
      name: 'event:releaseRequest',
      instructions: [{ type: 'api', method: 'POST', path, payload: { message: ':message' } }],
    });
    const ended = async (times: number) =>
      await eventually(async () => {
        const { logs } = (await mine.get(id)).body;
        return logs.length === 6 * times && logs.filter(({ statusCode }) => statusCode === 200).length === 5 * times;
      });
    await ask();
    await ended(1);
    expect(await depths()).toEqual([0, 1, 2, 3, 4, 5]);
    await ask();
    await ended(2);
    expect(await depths()).toEqual([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
  });

  it('passes on the response of an instruction', async () => {
    const { user, token, containerId, ask, mine } = await anAsker();
    const formatIds = [await originalOf(app, user, 'video')];
    const { id } = await mine.made({
      name: 'event:releaseRequest',
      conditions: { payload: { mediaContainerId: containerId } },
      instructions: [
        {
          type: 'api',
          method: 'POST',
          path: 'v5/downloadlink',
          payload: { mediaContainerIds: [':mediaContainerId'], formatIds },
          as: 'made',
        },
        {
          type: 'api',
          method: 'GET',
          path: 'v5/downloadlink/:made.id',
          expected: [
            { path: 'link', value: ':made.link' },
            { path: 'mediaContainerIds.0', value: ':mediaContainerId' },
          ],
        },
      ],
    });
    await ask();
    await eventually(async () => (await mine.get(id)).body.logs.length === 2);
    expect((await mine.get(id)).body.logs.map(({ type, statusCode, reason }) => [type, statusCode, reason])).toEqual([
      ['api', 200, null],
      ['api', 201, null],
    ]);
    expect((await call<unknown[]>(`${app.url}/v5/downloadlink`, { token })).body).toHaveLength(1);
  });

  it('of which one sends the other again does not begin', async () => {
    const { user, ask, mine } = await anAsker();
    const [ping, pong] = [await mine.made({ name: 'event:releaseRequest' }), await mine.made({ name: 'event:releaseRequest' })];
    await ask();
    const logOf = async ({ id }: { id: number }) => (await mine.get(id)).body.logs;
    await eventually(async () => (await logOf(ping)).length === 1 && (await logOf(pong)).length === 1);
    const sendingAgain = async (other: { id: number }) => {
      const [{ id: logId } = { id: 0 }] = await logOf(other);
      return {
        name: 'event:releaseRequest',
        instructions: [{ type: 'api', method: 'POST', path: `v5/subscriptions/${other.id}/replay`, payload: { logId } }],
      };
    };
    await mine.replace(ping.id, await sendingAgain(pong));
    await mine.replace(pong.id, await sendingAgain(ping));
    const [{ id: logId } = { id: 0 }] = await logOf(ping);
    expect((await mine.replay(ping.id, logId)).status).toBe(200);
    await eventually(async () => (await logOf(ping)).length === 2);
    expect((await logOf(ping))[0]).toMatchObject({
      statusCode: 403,
      reason: expect.stringMatching(
        new RegExp(`^rights: the user ${user.id} may not POST v5/subscriptions/${pong.id}/replay, 403 not_for_instructions`),
      ),
    });
    expect(await logOf(pong)).toHaveLength(1);
  });
});
