import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeReferences, substitute } from '../../../src/config/substitute.ts';

const ENV = { NAME: 'value', EMPTY: '', NESTED: `\${NAME}`, DOLLARS: '$&$1$$' };
const put = (text: string) => substitute(text, ENV).text;

describe('a reference to the environment', () => {
  it.each([
    [`\${NAME}`, 'value'],
    [`a\${NAME}b\${NAME}`, 'avaluebvalue'],
    [`\${NAME:-other}`, 'value'],
    [`\${MISSING:-other}`, 'other'],
    [`\${MISSING:-}`, ''],
    [`\${EMPTY:-other}`, 'other'],
    [`\${EMPTY}`, ''],
    [`\${MISSING:-a:-b}`, 'a:-b'],
    ['$NAME', '$NAME'],
    ['{NAME}', '{NAME}'],
    [`$\${NAME}`, `\${NAME}`],
  ])('%j becomes %j', (text, expected) => {
    expect(put(text)).toBe(expected);
  });

  it('is not read again in what was put in', () => {
    expect(put(`\${NESTED}`)).toBe(`\${NAME}`);
    expect(put(`\${DOLLARS}`)).toBe('$&$1$$');
  });

  it('names what is missing, every one', () => {
    expect(substitute(`\${A}\${NAME}\${B}`, ENV).missing).toEqual(['A', 'B']);
  });

  it.each([`\${`, `\${}`, `\${NAME`, `\${1A}`, `\${A-B}`, `\${A:}`, `\${A:-\${B}}`, `\${A B}`])(
    '%j is malformed',
    (text) => {
      expect(substitute(text, ENV).isMalformed).toBe(true);
    },
  );

  it('any text survives when it is escaped', () => {
    const text = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-') });
    fc.assert(fc.property(text, (written) => put(escapeReferences(written)) === written));
  });
});
