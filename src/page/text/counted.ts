import { whole } from './format.ts';

/** "1 request", "12 requests", "1,000 requests". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}
