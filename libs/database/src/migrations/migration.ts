/** One forward step of the schema. It runs once, inside a transaction, as the role that owns every table. */
export interface Migration {
  /** 1 and up, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Why the step is needed, in one line. */
  readonly reason: string;
  readonly sql: string;
}
