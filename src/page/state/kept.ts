/** What of the browser's storage is used. Touching it may throw, where it is forbidden. */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}
