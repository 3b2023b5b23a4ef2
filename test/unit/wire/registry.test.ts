import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../src/wire/registry.ts';

describe('an endpoint', () => {
  it.each([
    ['/v1/chat/completions', 'openai.chat'],
    ['/chat/completions', 'openai.chat'],
    ['/openai/v1/chat/completions/', 'openai.chat'],
    ['/api/v1/chat/completions', 'openai.chat'],
    ['/v1/completions', 'openai.completions'],
    ['/completions', 'openai.completions'],
    ['/a%2Fb//completions', 'openai.completions'],
  ])('%s is %s', (path, api) => {
    expect(endpointOf('POST', path)).toMatchObject({ api, generation: true, modelFromPath: null, dialect: { api } });
  });

  it.each([
    ['GET', '/v1/chat/completions'],
    ['OPTIONS', '/v1/chat/completions'],
    ['post', '/v1/chat/completions'],
    ['POST', '/v1/Chat/Completions'],
    ['POST', '/v1/xcompletions'],
    ['POST', '/v1/completions/1'],
    ['POST', '/v1/chat/completions/abc/messages'],
    ['POST', 'completions'],
    ['GET', '/'],
    ['POST', '//'],
    ['POST', ''],
    ['GET', '/v1/models'],
  ])('%s %s is other: no generation, no dialect', (method, path) => {
    const expected = { api: 'other', generation: false, modelFromPath: null, dialect: null, streamsByDefault: false };
    expect(endpointOf(method, path)).toEqual(expected);
  });

  it.each([
    ['/openai/deployments/gpt-4o/chat/completions', 'gpt-4o'],
    ['/openai/deployments/gpt-4o/completions/', 'gpt-4o'],
    ['/openai/deployments/my%20model/chat/completions', 'my model'],
    ['/openai/deployments/%zz/chat/completions', '%zz'],
    ['/openai/deployments/chat/completions', null],
    ['/openai/deployments//chat/completions', null],
    ['/openai/xdeployments/a/chat/completions', null],
  ])('names the model of Azure’s path %s: %s', (path, model) => {
    expect(endpointOf('POST', path).modelFromPath).toBe(model);
  });

  it('is found in a path of ten thousand slashes without looking twice', () => {
    expect(endpointOf('POST', `${'/'.repeat(100_000)}x`).api).toBe('other');
  });
});
