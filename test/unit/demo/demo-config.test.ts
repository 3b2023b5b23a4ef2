import { expect, it } from 'vitest';
import { loadText } from '../../../src/config/load.ts';
import { NO_FLAGS } from '../../../src/config/overrides.ts';
import { demoConditions, demoConfig } from '../../../src/demo/demo-config.ts';
import { DEMO_PROFILE } from '../../../src/demo/engine-profile.ts';

it('the configuration of the demo is one that a file could hold, without a fault or a warning', () => {
  const text = JSON.stringify(demoConfig('http://127.0.0.1:4000', { listen: '127.0.0.1:0', admin: '127.0.0.1:0' }));
  expect(loadText('pitot demo', text, { flags: NO_FLAGS, env: {} })).toMatchObject({
    kind: 'loaded',
    warnings: [],
    config: { upstreams: [{ name: 'demo-engine', usage: 'always', gpus: 1 }], shutdown_grace: 2_000 },
  });
});

it('the conditions name what the throughput depends on: engine, lengths and mix', () => {
  const conditions = demoConditions(DEMO_PROFILE).join('\n');
  for (const part of ['simulated', '24 slots', 'tokens in', 'out', '15 %']) expect(conditions).toContain(part);
});
