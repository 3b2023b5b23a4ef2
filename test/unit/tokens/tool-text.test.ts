import { describe, expect, it } from 'vitest';
import { toolOverhead, toolText } from '../../../src/tokens/tool-text.ts';

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where.' },
    unit: { type: 'string', enum: ['C', 'F'] },
  },
};

describe('a tool', () => {
  it('is its name and description and those of its parameters, with the published marks', () => {
    expect(toolText({ function: { name: 'weather', description: 'Tells it.', parameters } })).toEqual({
      texts: ['weather:Tells it', 'city:string:Where', 'unit:string:', 'C', 'F'],
      marks: 3 + 3 + 3 + (-3 + 2 * 3),
    });
  });

  it('is the same as the responses API and as Anthropic write it', () => {
    const expected = toolText({ function: { name: 'weather', parameters } });
    expect(toolText({ type: 'function', name: 'weather', parameters })).toEqual(expected);
    expect(toolText({ name: 'weather', input_schema: parameters })).toEqual(expected);
  });

  it('counts nested parameters as it does the others', () => {
    const nested = { properties: { list: { type: 'array', items: { properties: { x: { type: 'integer' } } } } } };
    expect(toolText({ name: 'f', parameters: nested })).toEqual({
      texts: ['f:', 'list:array:', 'x:integer:'],
      marks: 3 + 3 + 3 + 3,
    });
  });

  it.each([[null], ['f'], [{}], [{ type: 'web_search' }], [{ function: { name: 7 } }]])('is none in %j', (tool) => {
    expect(toolText(tool)).toBeNull();
  });

  it('survives parameters of any shape', () => {
    for (const odd of [null, 7, [], { properties: [] }, { properties: { a: null, b: 'x' } }]) {
      expect(toolText({ name: 'f', parameters: odd })?.texts).toEqual(['f:']);
    }
  });
});

describe('all tools', () => {
  const tool = { texts: [], marks: 6 };

  it('cost seven each and twelve together, ten each with older models', () => {
    expect(toolOverhead([tool, tool], 'o200k_base')).toBe(12 + 2 * (7 + 6));
    expect(toolOverhead([tool, tool], 'cl100k_base')).toBe(12 + 2 * (10 + 6));
  });

  it('that are none cost nothing', () => {
    expect(toolOverhead([], 'o200k_base')).toBe(0);
  });
});
