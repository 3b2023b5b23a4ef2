/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Substitution {
  text: string;
  /** The text held a reference or an escaped one. */
  isChanged: boolean;
  /** The variables it named. */
  names: string[];
  /** Those that are not set and have no default. */
  missing: string[];
  /** A `${` that begins no reference. */
  isMalformed: boolean;
}

const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\})?/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in one value; `$${` stands for a literal `${`.
 * As in a shell, `:-` also stands in for a variable that is set but empty. What is put in is not read again.
 */
export function substitute(text: string, env: Environment): Substitution {
  const names: string[] = [];
  const missing: string[] = [];
  let isMalformed = false;
  const replaced = text.replace(REFERENCE, (whole: string, name?: string, fallback?: string) => {
    if (whole === '$${') return '${';
    if (name === undefined) isMalformed = true;
    else names.push(name);
    const value = name === undefined ? undefined : env[name];
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (name !== undefined && value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: replaced, isChanged: text.includes('${'), names, missing, isMalformed };
}

/** The inverse for values that are printed: `${` becomes `$${`, so that a value reads back as itself. */
export function escapeReferences(text: string): string {
  return text.replaceAll('${', '$$${');
}
