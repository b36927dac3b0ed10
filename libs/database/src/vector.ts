/** A dense vector in pgvector's text form. */
export function toVectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

export interface SparseVector {
  /** From 1, ascending, without repetition. */
  indices: readonly number[];
  values: readonly number[];
  dimension: number;
}

/** A sparse vector in pgvector's text form. */
export function toSparsevecText(vector: SparseVector): string {
  const pairs = vector.indices.map((index, position) => `${index}:${vector.values[position]}`);
  return `{${pairs.join(',')}}/${vector.dimension}`;
}
