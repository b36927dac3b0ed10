/** What the service and its children say to each other. */

export interface ModelSpec {
  /** Folder laid out as on a model hub. */
  folder: string;
  pooling: 'mean' | 'cls';
  normalised: boolean;
  /** Longest input in tokens, special tokens included. */
  maxTokens: number;
  /** For vocabularies without capitals whose tokenizer does not lower them. */
  lowerCaseLatin: boolean;
}

export interface EmbedRequest {
  /** The whole input, prefix included. */
  text: string;
  /** What happens to a text beyond `maxTokens`. */
  overlong: 'cut' | 'refuse';
}

export type EmbedReply =
  | { outcome: 'embedded'; vector: Float32Array<ArrayBuffer>; truncated: boolean }
  /** `rejected`: the model failed on this text. */
  | { outcome: 'too_long' | 'rejected' };

export interface LoadedModel {
  /** SHA-256 of the weights in hexadecimal. */
  revision: string;
  dimension: number;
}

export type ToChild = { kind: 'load'; spec: ModelSpec } | { kind: 'embed'; request: EmbedRequest };

export type FromChild =
  | { kind: 'loaded'; model: LoadedModel }
  | { kind: 'unloadable'; reason: string }
  | { kind: 'reply'; reply: EmbedReply };
