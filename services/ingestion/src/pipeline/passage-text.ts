import { searchableText } from '@lectern/text';

type Passage = Parameters<typeof searchableText>[0];

/** What is embedded for a chunk. */
export function passageText(passage: Passage): string {
  return searchableText(passage);
}

/** What the lexical leg finds a chunk by: the file's name too, since people ask for documents by name. */
export function indexedText(title: string, passage: Passage): string {
  return `${title.replace(/\.[^.]*$/, '')}\n${searchableText(passage)}`;
}
