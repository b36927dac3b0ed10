import { searchableText } from '@lectern/text';

type Passage = Parameters<typeof searchableText>[0];

// Tried on XQuAD: the file's name in front of a passage makes dense ranks worse and BM25 better; the headings leave dense
// ranks as they are and make the fused ones better.

/** What is embedded for a chunk: its headings and its content. */
export function passageText(passage: Passage): string {
  return searchableText(passage);
}

/** What the lexical leg finds a chunk by: the file's name too. */
export function indexedText(title: string, passage: Passage): string {
  return `${title.replace(/\.[^.]*$/, '')}\n${searchableText(passage)}`;
}
