import { sliceWellFormed } from '../slice-well-formed.js';
import { linesOf, paragraphsOf } from './lines.js';
import { isBlank, type Block, type Section, type Span } from './span.js';

// Enough to name a section; a longer one is most likely a paragraph that happens to start with a hash.
const longestHeading = 200;

const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const setextUnderline = /^ {0,3}(=+|-+)[ \t]*$/;
const fenceOpening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const tableOrList = /^ {0,3}(?:\||[-*+][ \t]|\d{1,9}[.)][ \t])/;

interface Heading {
  readonly level: number;
  readonly title: string;
}

/** Cuts Markdown at its headings; fenced code and tables are blocks of their own, split by lines where they must be. */
export function markdownSections(text: string): Section[] {
  const reader = new MarkdownReader(text);
  for (const line of linesOf(text)) reader.read(line);
  return reader.finish();
}

class MarkdownReader {
  readonly #text: string;
  readonly #sections: Section[] = [];
  #path: Heading[] = [];
  #blocks: Block[] = [];
  #prose: Span[] = [];
  #hasBody = false;
  #fence: { marker: string; start: number; end: number } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(line: Span): void {
    const written = this.#text.slice(line.start, line.end).trimEnd();
    if (this.#fence) this.#readInFence(line, written);
    else if (this.#openFence(line, written)) return;
    else if (this.#readAtxHeading(line, written)) return;
    else if (this.#readSetextHeading(line, written)) return;
    else this.#prose.push(line);
  }

  finish(): Section[] {
    if (this.#fence) this.#closeFence(this.#fence.end);
    this.#closeSection();
    return this.#sections;
  }

  #openFence(line: Span, written: string): boolean {
    const marker = fenceOpening.exec(written)?.[1];
    if (!marker) return false;
    this.#closeProse();
    this.#fence = { marker, start: line.start, end: line.end };
    return true;
  }

  #readInFence(line: Span, written: string): void {
    const fence = this.#fence!;
    const closing = written.trimStart();
    const character = fence.marker.charAt(0);
    const closes = closing.length >= fence.marker.length && closing === character.repeat(closing.length);
    if (closes) this.#closeFence(line.end);
    else this.#fence = { ...fence, end: line.end };
  }

  #closeFence(end: number): void {
    this.#blocks.push({ start: this.#fence!.start, end, kind: 'lines' });
    this.#hasBody = true;
    this.#fence = undefined;
  }

  #readAtxHeading(line: Span, written: string): boolean {
    const marks = atxHeading.exec(written)?.[1];
    if (!marks) return false;
    const title = written
      .trimStart()
      .slice(marks.length)
      .trim()
      .replace(/(?:^|[ \t])#+$/, '')
      .trim();
    this.#openSection({ level: marks.length, title }, line);
    return true;
  }

  #readSetextHeading(line: Span, written: string): boolean {
    const underline = setextUnderline.exec(written)?.[1];
    const heading = this.#prose.at(-1);
    if (!underline || !heading || isBlank(this.#text, heading)) return false;
    const above = this.#prose.at(-2);
    const title = this.#text.slice(heading.start, heading.end).trim();
    if ((above && !isBlank(this.#text, above)) || tableOrList.test(title)) return false;
    this.#prose.pop();
    this.#openSection({ level: underline.startsWith('=') ? 1 : 2, title }, { start: heading.start, end: line.end });
    return true;
  }

  #openSection(heading: Heading, span: Span): void {
    this.#closeSection();
    const above = this.#path.filter(({ level }) => level < heading.level);
    this.#path = [...above, { ...heading, title: sliceWellFormed(heading.title, 0, longestHeading).text }];
    this.#blocks.push({ ...span, kind: 'heading' });
  }

  #closeSection(): void {
    this.#closeProse();
    if (this.#blocks.length > 0) {
      const headingPath = this.#path.map(({ title }) => title).filter((title) => title !== '');
      this.#sections.push({ headingPath, hasBody: this.#hasBody, blocks: this.#blocks });
    }
    this.#blocks = [];
    this.#hasBody = false;
  }

  #closeProse(): void {
    const paragraphs = paragraphsOf(this.#text, this.#prose, (first) => (tableOrList.test(first) ? 'lines' : 'prose'));
    for (const paragraph of paragraphs) this.#blocks.push(paragraph);
    if (paragraphs.length > 0) this.#hasBody = true;
    this.#prose = [];
  }
}
