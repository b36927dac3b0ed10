import pgvector, { SparseVector as PgSparseVector } from 'pgvector';

/** A dense vector in pgvector's text form. */
export function toVectorText(vector: Float32Array): string {
  return String(pgvector.toSql([...vector]));
}

export interface SparseVector {
  /** From 1, ascending, without repetition. */
  indices: readonly number[];
  values: readonly number[];
  dimension: number;
}

/** A sparse vector in pgvector's text form. */
export function toSparsevecText({ indices, values, dimension }: SparseVector): string {
  // The package counts from 0, as JavaScript does, and its text form from 1, as SQL does.
  const entries = indices.map((index, position) => [index - 1, values[position] ?? 0] as const);
  return new PgSparseVector(new Map(entries), dimension).toPostgres();
}
