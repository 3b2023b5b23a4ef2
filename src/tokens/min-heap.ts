/** A binary heap of plain numbers over one typed array that is kept: pushing and popping allocate nothing. */
export class MinHeap {
  #keys = new Float64Array(256);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Empties the heap and makes room for `capacity` keys. */
  reset(capacity: number): void {
    this.#size = 0;
    if (this.#keys.length < capacity) this.#keys = new Float64Array(capacity);
  }

  push(key: number): void {
    const keys = this.#keys;
    let index = this.#size;
    this.#size += 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = keys[parent] ?? 0;
      if (above <= key) break;
      keys[index] = above;
      index = parent;
    }
    keys[index] = key;
  }

  /** The smallest key. Asked of an empty heap it answers `Infinity`. */
  pop(): number {
    if (this.#size === 0) return Number.POSITIVE_INFINITY;
    const keys = this.#keys;
    const smallest = keys[0] ?? 0;
    this.#size -= 1;
    const moved = keys[this.#size] ?? 0;
    let index = 0;
    for (let child = 1; child < this.#size; child = 2 * index + 1) {
      if (child + 1 < this.#size && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child += 1;
      const below = keys[child] ?? 0;
      if (below >= moved) break;
      keys[index] = below;
      index = child;
    }
    keys[index] = moved;
    return smallest;
  }
}
