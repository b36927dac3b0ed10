/**
 * An upper bound of the tokens that a text takes in the models Lectern knows, without special tokens and prefix.
 */
export function estimateTokens(text: string): number {
  const normalised = text.normalize('NFKC');
  let tokens = 1;
  for (const character of normalised) if (character !== ' ') tokens += 1;
  return tokens;
}
