/** Request headers by lower-case name, as Node's `request.headers` has them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, several joined as HTTP joins them (RFC 9110 §5.2); null where it is absent or empty. */
export function headerOf(headers: Headers, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  const text = typeof value === 'string' ? value : (value?.join(', ') ?? '');
  return text === '' ? null : text;
}
