import { expect } from 'vitest';
import { watsonx } from '../../src/wire/dialects/watsonx.ts';
import { endpointOf } from '../../src/wire/registry.ts';
import { describeRecordings } from './recorded-answers.ts';

describeRecordings({
  dialects: { watsonx },
  count: 2,
  finishReason: () => 'eos_token',
  more(entry, { log }) {
    const path = entry.path.split('?')[0] ?? '';
    const streamsByDefault = entry.framing === 'sse';
    expect(endpointOf(entry.method, path)).toMatchObject({ api: 'watsonx', generation: true, streamsByDefault });
    expect(log.of('model')).toEqual([{ kind: 'model', name: 'google/flan-ul2' }]);
  },
});
