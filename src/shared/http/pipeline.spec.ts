import type { RequestListener } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { pipeline, type Step } from './pipeline.js';

/** Runs the steps and answers what happened, in order. */
function run(steps: Step[], last: RequestListener = () => {}): unknown[] {
  const happened: unknown[] = [];
  const named = steps.map<Step>((step, index) => (request, response, next) => {
    happened.push(index);
    step(request, response, next);
  });
  const request = aRequest();
  pipeline(named, (error) => happened.push(error))((...args) => {
    happened.push('last');
    last(...args);
  })(request, aResponse(request));
  return happened;
}

const goOn: Step = (_request, _response, next) => next();
const answer: Step = (_request, response) => void response.end();
const failure = new Error('a step failed');

describe('the pipeline', () => {
  it('runs the steps in order, and passes on unanswered requests', () => {
    expect(run([goOn, goOn])).toEqual([0, 1, 'last']);
    expect(run([])).toEqual(['last']);
  });

  it('ends with the step that answers', () => {
    expect(run([goOn, answer, goOn])).toEqual([0, 1]);
  });

  it('ends with the error that a step hands on', () => {
    expect(run([goOn, (_request, _response, next) => next(failure), goOn])).toEqual([0, 1, failure]);
  });

  it('takes an error that a step throws like one that it hands on, so that no request ends the process', () => {
    const thrower: Step = () => {
      throw failure;
    };
    expect(run([goOn, thrower, goOn])).toEqual([0, 1, failure]);
    expect(run([goOn], thrower as RequestListener)).toEqual([0, 'last', failure]);
  });

  it('continues once, even if a step calls next repeatedly', () => {
    const twice: Step = (_request, _response, next) => {
      next();
      next();
      next(failure);
    };
    expect(run([twice])).toEqual([0, 'last']);
  });
});
