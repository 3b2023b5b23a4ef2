import { type TSchema, Type } from 'typebox';
import { parseAddress, parseBaseUrl } from './addresses.ts';
import {
  DURATION_PATTERN,
  formatDuration,
  formatSize,
  parseDurationMs,
  parseSizeBytes,
  SIZE_PATTERN,
} from './units.ts';

/**
 * The kinds of single values a configuration holds. `title` says what is expected, in the words of a fault;
 * `default` is what the file would say; a value without a default is required.
 */
export interface LeafOptions {
  description?: string;
  default?: unknown;
  [annotation: PropertyKey]: unknown;
}

/** Marks a value that must never be shown: not by print-config, not in a fault. */
export const SECRET = 'secret';
/** Marks a value that is taken as it is written, whatever YAML would make of it. */
export const VERBATIM = 'verbatim';
/** Names the kind of a leaf, for the slips of the pen that are likely in it. */
export const KIND = 'kind';

/** A keyword of a schema node; undefined where it has none. TypeBox's types name only the keywords of each kind. */
export const annotation = (schema: TSchema, name: string): unknown => Reflect.get(schema, name);

/** The same value or null. Null stands first: encoding tries the branches in order, and null must not reach a codec. */
export const nullable = <T extends TSchema & { title?: string }>(type: T, options: LeafOptions) =>
  Type.Union([Type.Null(), type], { default: null, ...options });

export const flag = (options: LeafOptions) => Type.Boolean({ title: 'true or false', [KIND]: 'flag', ...options });

export const choice = <const T extends string[]>(values: readonly [...T], options: LeafOptions) =>
  Type.Enum<T>(values, { title: `one of ${values.join(', ')}`, ...options });

export const text = (title: string, pattern: string, options: LeafOptions) =>
  Type.String({ title, pattern, minLength: 1, ...options });

export const whole = (bounds: { minimum: number; maximum?: number }, options: LeafOptions & { unit: string }) =>
  Type.Integer({ title: `a whole number${range(bounds)}`, ...bounds, ...options });

export const amount = (options: LeafOptions & { unit: string; exclusiveMinimum?: number; minimum?: number }) =>
  Type.Number({ title: `a number${range(options)}`, ...options });

/** A share between 0 and 1, both possible. */
export const ratio = (options: LeafOptions) =>
  Type.Number({ title: 'a number from 0 to 1', minimum: 0, maximum: 1, unit: 'ratio', ...options });

function range(bounds: { minimum?: number; maximum?: number; exclusiveMinimum?: number }): string {
  if (bounds.exclusiveMinimum !== undefined) return ` above ${bounds.exclusiveMinimum}`;
  if (bounds.minimum === undefined) return '';
  return bounds.maximum === undefined ? `, ${bounds.minimum} or more` : ` from ${bounds.minimum} to ${bounds.maximum}`;
}

const isDuration = (value: unknown, leastMs: number) => {
  const ms = value === 0 ? 0 : typeof value === 'string' ? parseDurationMs(value) : null;
  return ms !== null && ms >= leastMs;
};

/** Written with its unit, loaded as milliseconds. */
const durationOf = (leastMs: number, options: LeafOptions & { title: string }) =>
  Type.Codec(
    Type.Refine(Type.Union([Type.String({ pattern: DURATION_PATTERN }), Type.Literal(0)], options), (value) =>
      isDuration(value, leastMs),
    ),
  )
    .Decode((value) => (value === 0 ? 0 : (parseDurationMs(value) ?? 0)))
    .Encode((ms) => formatDuration(ms));

export const duration = (options: LeafOptions) =>
  durationOf(0, { title: 'a duration such as 10s, 50ms, 10m or 0, 24 days at most', [KIND]: 'duration', ...options });

/** A target of 0 can never be met, so it is a slip of the pen. */
export const target = (options: LeafOptions) =>
  durationOf(Number.MIN_VALUE, {
    title: 'a duration above 0 such as 2s or 50ms, 24 days at most',
    [KIND]: 'duration',
    ...options,
  });

const isSize = (value: unknown, maxBytes: number) => {
  const bytes = typeof value === 'string' ? parseSizeBytes(value) : typeof value === 'number' ? value : null;
  return bytes !== null && bytes >= 1 && bytes <= maxBytes;
};

/** Written with its unit or in plain bytes, loaded as bytes. */
export const size = (maxBytes: number, options: LeafOptions) =>
  Type.Codec(
    Type.Refine(
      Type.Union([Type.String({ pattern: SIZE_PATTERN }), Type.Integer({ minimum: 1, maximum: maxBytes })], {
        title: `a size above 0 such as 4096, 64KiB or 8MiB, ${formatSize(maxBytes)} at most`,
        [KIND]: 'size',
        ...options,
      }),
      (value) => isSize(value, maxBytes),
    ),
  )
    .Decode((value) => (typeof value === 'number' ? value : (parseSizeBytes(value) ?? 0)))
    .Encode((bytes) => formatSize(bytes));

export const address = (options: LeafOptions) =>
  Type.Refine(
    Type.String({ title: 'HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:0', [KIND]: 'address', ...options }),
    (value) => parseAddress(value) !== null,
  );

export const baseUrl = (options: LeafOptions) =>
  Type.Refine(
    Type.String({
      title: 'an http:// or https:// URL without credentials, query and fragment',
      [KIND]: 'url',
      pattern: '^[hH][tT][tT][pP][sS]?://',
      ...options,
    }),
    (value) => parseBaseUrl(value) !== null,
  );

/** A value nobody may see. Empty means none, so that `${NAME:-}` can stand in the file; loaded as null then. */
export const secret = (options: LeafOptions) =>
  Type.Codec(
    Type.Union([Type.Null(), Type.String({ pattern: '^[!-~]*$' })], {
      title: 'printable ASCII characters without spaces, in quotes if they look like a number',
      [SECRET]: true,
      ...options,
    }),
  )
    .Decode((value) => (value === '' ? null : value))
    .Encode((value) => value);

/** A free label: `8.10` stays `8.10`. */
export const label = (options: LeafOptions = {}) =>
  Type.Codec(
    Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Number(), Type.Boolean()], {
      title: 'a single value of 1 to 128 characters',
      examples: ['H100'],
      [VERBATIM]: true,
      ...options,
    }),
  )
    .Decode((value) => String(value))
    .Encode((value) => value);
