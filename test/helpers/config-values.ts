import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import * as Value from 'typebox/value';
import { annotation, KIND } from '../../src/config/leaves.ts';
import { configSchema } from '../../src/config/schema.ts';

/** Texts that YAML, the environment or a careless printer could take for something else. */
const TRICKY = [
  ...['8.10', '0x1F', '1e3', '.inf', 'true', 'off', 'null', '~', '2024-01-01'],
  ...[`\${NAME}`, `$\${NAME}`, '$', 'a: b', '- x', '# x', '"quoted"', "it's", '*x', '&x', '!x', '%x', '@x', '`x'],
  ...[' padded ', 'two\nlines', 'tab\there', '\\n', '[x]', '{x}', '', 'é', '🙂', 'x'.repeat(128)],
];

const BY_KIND: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  duration: fc.oneof(fc.constant(0), fc.constantFrom('0', '50ms', '1.5s', '90s', '10m', '0.5h', '0.001ms')),
  size: fc.oneof(fc.nat(), fc.constantFrom('512B', '64KiB', '1.5MiB', '2GiB')),
  address: fc.constantFrom('127.0.0.1:0', '[::1]:8080', 'localhost:9464', '0.0.0.0:80'),
  url: fc.constantFrom('http://a', 'https://[::1]:8000/v1/', 'HTTP://a.example/a//b/../%2F'),
  path: fc.constantFrom('/', '/v1', '/a//b/%2F;c=d'),
};

/** A value as a file would have it, anything that the schema accepts. */
function fileValue(schema: TSchema): fc.Arbitrary<unknown> {
  if (Type.IsObject(schema)) {
    return fc.record(
      Object.fromEntries(Object.entries(schema.properties).map(([key, child]) => [key, fileValue(child)])),
    );
  }
  if (Type.IsRecord(schema)) {
    const [child = Type.String()] = Object.values<TSchema>(schema.patternProperties);
    return fc.dictionary(fc.constantFrom('a', 'B_2', 'true', 'constructor', 'toString'), fileValue(child));
  }
  if (Type.IsArray(schema)) return fc.array(fileValue(schema.items), { maxLength: 3 });
  if (Type.IsUnion(schema) && annotation(schema, KIND) === undefined) return fc.oneof(...schema.anyOf.map(fileValue));
  const examples = [annotation(schema, 'default'), annotation(schema, 'examples')].flat();
  const accepted = (values: readonly unknown[]) => values.filter((value) => Value.Check(schema, value));
  const kind = BY_KIND[String(annotation(schema, KIND))];
  if (kind !== undefined) return kind.filter((value) => Value.Check(schema, value));
  const known = Type.IsEnum(schema)
    ? schema.enum
    : [null, true, false, 0, 1, 200, 0.5, 2.5, 1e-9, ...TRICKY, ...examples];
  return fc.constantFrom(...accepted(known));
}

/** A whole configuration file, as a value. Rules between keys need not hold. */
export const anyConfigFile = fileValue(configSchema);
