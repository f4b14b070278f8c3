import { expect, it } from '@jest/globals';
import { startCpuTimer } from '../../test/support/cpu-timer.js';
import { readSvgSize } from './svg-size.js';

it.each([
  ['<svg width="400" height="300">', '400x300'],
  ["<?xml version='1.0'?><!DOCTYPE svg><!-- x --><svg xmlns='http://www.w3.org/2000/svg'\n  height='3in' width='10.16cm'/>", '384x288'],
  ['<svg viewBox="0 0 24 12">', '24x12'],
  ['<svg viewBox="0,0, 24,12" width="48px">', '48x24'],
  ['<svg viewBox="0 0 24 12" height="6pt" width="100%">', '16x8'],
  ['<svg><rect width="7" height="7"/></svg>', null],
  ['<svg width="100%" height="100%">', null],
  ['<svg width="-4" height="300">', null],
  ['<svg width="1e9" height="0">', null],
  ['<svgx width="4" height="3">', null],
  ['<html width="4" height="3">', null],
  ['{ "icon": "<svg width=\'4\' height=\'3\'>" }', null],
])('the size of %s is %s', (text, expected) => {
  const size = readSvgSize(text);
  expect(size && `${size.width}x${size.height}`).toBe(expected);
});

it.each(['<svg '.repeat(50_000), `<svg ${'a="" '.repeat(50_000)}`, `<svg${' '.repeat(200_000)}`, `<svg a="${'x'.repeat(200_000)}`])(
  'is read in linear time: %.10s…',
  (text) => {
    const elapsed = startCpuTimer();
    expect(readSvgSize(text)).toBeNull();
    expect(elapsed()).toBeLessThan(200);
  },
);
