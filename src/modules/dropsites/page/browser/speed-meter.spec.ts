import { expect, it } from '@jest/globals';
import { SpeedMeter } from './speed-meter.js';

it('returns nothing before the first measurement', () => {
  const meter = new SpeedMeter();
  expect(meter.speed).toBeNull();
  meter.add(0, 0);
  meter.add(1_000, 500_000);
  expect(meter.speed).toBeNull();
  expect(meter.secondsFor(1)).toBeNull();
});

it('measures the last ten seconds, so that it adapts to a change of speed', () => {
  const meter = new SpeedMeter();
  for (let second = 0; second <= 20; second += 1) meter.add(second * 1_000, second * 1_000_000);
  expect(meter.speed).toBe(1_000_000);
  expect(meter.secondsFor(90_000_000)).toBe(90);
  for (let second = 21; second <= 31; second += 1) meter.add(second * 1_000, 20_000_000 + (second - 20) * 100_000);
  expect(meter.speed).toBe(100_000);
});

it('resets after a pause', () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  meter.add(5_000, 5_000_000);
  meter.reset();
  expect(meter.speed).toBeNull();
  meter.add(600_000, 5_000_000);
  meter.add(602_000, 5_200_000);
  expect(meter.speed).toBe(100_000);
});

it('returns no remaining time without progress', () => {
  const meter = new SpeedMeter();
  meter.add(0, 7);
  meter.add(3_000, 7);
  expect(meter.speed).toBe(0);
  expect(meter.secondsFor(100)).toBeNull();
});
