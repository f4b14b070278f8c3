import { describe, expect, it } from '@jest/globals';
import { DomainError, StartupError } from '../shared/errors.js';
import { explainFailure } from './run.js';

describe('a failure of the command line', () => {
  it('is one sentence when a rule refused', () => {
    expect(explainFailure(new DomainError('not_found', 'user_unknown', 'There is no user x.'))).toEqual(
      new StartupError('There is no user x.'),
    );
  });

  it('is shown without the values of an SQL statement if it is unexpected', () => {
    const error = Object.assign(new Error('duplicate key'), { parameters: ['$argon2id$secret'] });
    expect(explainFailure(error)).toBe(error.stack);
  });
});
