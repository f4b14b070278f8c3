import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import type { ClaimedRun } from './claimed-run.js';
import type { Share } from './places.js';

/** From one lane to the next by the index, so that a lane costs the same whether one run or a million of them are ready. */
const LANES = `WITH RECURSIVE following (lane) AS (
    SELECT min(lane) FROM subscription_runs WHERE state = 'ready' AND lane > $1
    UNION ALL
    SELECT (SELECT min(r.lane) FROM subscription_runs r WHERE r.state = 'ready' AND r.lane > f.lane) FROM following f WHERE f.lane IS NOT NULL
  ), beginning (lane) AS (
    SELECT min(lane) FROM subscription_runs WHERE state = 'ready' AND lane <= $1
    UNION ALL
    SELECT (SELECT min(r.lane) FROM subscription_runs r WHERE r.state = 'ready' AND r.lane > b.lane AND r.lane <= $1)
      FROM beginning b WHERE b.lane IS NOT NULL
  )
  SELECT lane FROM (SELECT lane FROM following UNION ALL SELECT lane FROM beginning) AS round WHERE lane IS NOT NULL LIMIT $2`;

/** BETWEEN, because with an equality the planner may go through all runs that have ended, in the order of their ids, to find the next ones. */
const CLAIM = `WITH picked AS (
    SELECT r.id FROM unnest($1::text[], $2::int[]) AS share (lane, places)
    CROSS JOIN LATERAL (
      SELECT id FROM subscription_runs WHERE state = 'ready' AND lane BETWEEN share.lane AND share.lane ORDER BY lane, id
      LIMIT share.places FOR UPDATE SKIP LOCKED
    ) AS r
  ), claimed AS (
    UPDATE subscription_runs SET state = 'running', locked_by = $3, attempts = attempts + 1, next_attempt_at = NULL
    WHERE id = ANY(ARRAY(SELECT id FROM picked)) RETURNING *
  )
  SELECT r.id, r.message_id AS "messageId", r.once, r.lane, r.instruction, r.ends_after AS "endsAfter", r.attempts,
    r.attempts_before_replay AS "attemptsBeforeReplay", r.results, e.id AS "eventId", e.name AS "eventName", e.method, e.payload, e.depth, e.root_id AS "rootEventId",
    e.created_at AS "eventCreatedAt", s.id AS "subscriptionId", s.customer_id AS "customerId", s.last_editor_id AS "lastEditorId",
    s.instructions, s.signing_secret AS "signingSecret", s.lanes
  FROM claimed r JOIN events e ON e.id = r.event_id JOIN subscriptions s ON s.id = r.subscription_id ORDER BY r.id`;

/** The try was never made, so it does not count; nobody else can have the run meanwhile. */
const GIVE_BACK = `UPDATE subscription_runs SET state = 'ready', locked_by = NULL, attempts = attempts - 1
  WHERE id = ANY($1::bigint[]) AND state = 'running' AND locked_by = $2`;

/** As above, for what a claim took whose answer was lost. */
const GIVE_BACK_ALL_BUT = `UPDATE subscription_runs SET state = 'ready', locked_by = NULL, attempts = attempts - 1
  WHERE state = 'running' AND locked_by = $2 AND id <> ALL ($1::bigint[])`;

const HOLDERS = `SELECT DISTINCT locked_by AS holder FROM subscription_runs WHERE state = 'running'`;

/** The numbers of their tries are not used again: whoever is dead by mistake does not record a try in place of another's. */
const RELEASE = `UPDATE subscription_runs SET state = 'ready', locked_by = NULL WHERE state = 'running' AND locked_by = ANY($1::text[])`;

/** Runs that are ready, and which process has which. */
@Injectable()
export class RunQueue {
  constructor(private readonly database: Database) {}

  /** Lanes in which runs are ready, in a round that begins after the lane `after`. */
  async lanes(after: string, limit: number): Promise<string[]> {
    const { rows } = await this.database.query<{ lane: string }>(LANES, [after, limit]);
    return rows.map(({ lane }) => lane);
  }

  /** Takes the oldest runs of each lane, as many as it has places. */
  async claim(shares: readonly Share[], holder: string): Promise<ClaimedRun[]> {
    const [lanes, places] = [shares.map((share) => share.lane), shares.map((share) => share.places)];
    return (await this.database.query<ClaimedRun>(CLAIM, [lanes, places, holder])).rows;
  }

  /** Gives runs back whose try did not begin. */
  async giveBack(runs: readonly ClaimedRun[], holder: string): Promise<void> {
    await this.database.query(GIVE_BACK, [runs.map(({ id }) => id), holder]);
  }

  /** Gives back what the holder has without knowing it; not to be called while it claims. */
  async giveBackAllBut(known: readonly string[], holder: string): Promise<void> {
    await this.database.query(GIVE_BACK_ALL_BUT, [known, holder]);
  }

  /** Who has runs now. */
  async holders(): Promise<string[]> {
    return (await this.database.query<{ holder: string }>(HOLDERS)).rows.map(({ holder }) => holder);
  }

  /** Gives the runs of processes that died to whoever is free. */
  async release(dead: readonly string[]): Promise<void> {
    await this.database.query(RELEASE, [dead]);
  }
}
