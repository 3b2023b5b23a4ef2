import { expect, it } from 'vitest';
import { formatOf } from '../../../src/metrics/accept.ts';

const PROMETHEUS_2_42 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';
const CHROMIUM =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

it.each([
  [PROMETHEUS_2_42, 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
  ['application/openmetrics-text', 'openmetrics'],
  ['Application/OpenMetrics-Text; Version="1.0.0" ; Q=0.5 , text/plain;q=0.4', 'openmetrics'],
  ['application/openmetrics-text;q=0.5,text/plain;q=0.5', 'openmetrics'],
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  [CHROMIUM, 'text'],
  ['text/plain;version=0.0.4', 'text'],
  ['application/openmetrics-text;q=0.3,text/plain', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=lots', 'text'],
  ['application/openmetrics-text;version=0.0.1', 'text'],
  ['application/openmetrics-text;version=2.0.0', 'text'],
  ['application/json', 'text'],
])('a scraper that accepts %s is given %s', (accept, format) => {
  expect(formatOf(accept)).toBe(format);
});
