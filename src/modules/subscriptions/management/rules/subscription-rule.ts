import { EVENT_METHODS, EVENT_NAMES } from '../../../../shared/events/index.js';
import { FLAGS } from '../../subscription.entity.js';
import { among } from './among.js';
import type { UrlCheck } from './https-instruction-rule.js';
import { instructionsRule } from './instructions-rule.js';
import { jsonObject } from './json.js';
import { listOf } from './list-of.js';
import { ofSize } from './of-size.js';
import type { Rule } from './rule.js';
import { shape } from './shape.js';
import { text } from './text.js';

const MAX_NOTES = 10_000; // some pages of text
const MAX_CONDITION_BYTES = 4_096; // every event of the name is compared with it, each element of a list with each

const conditions = shape({
  optional: {
    methods: listOf(among(EVENT_METHODS), { max: EVENT_METHODS.length, unique: true }),
    payload: ofSize(MAX_CONDITION_BYTES, jsonObject),
  },
});

/** A subscription as people and templates want it, down to the last member. */
export const subscriptionRule = (checkUrl: UrlCheck): Rule =>
  shape({
    required: { name: among(EVENT_NAMES), flag: among(Object.values(FLAGS)), instructions: instructionsRule(checkUrl) },
    optional: { conditions, notes: text({ max: MAX_NOTES }) },
  });
