import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { segment } from './segment.js';

/** Whether every term of the question is a term of the text. */
const finds = (question: string, text: string) => {
  const terms = new Set(segment(text));
  const asked = segment(question);
  return asked.length > 0 && asked.every((term) => terms.has(term));
};

describe('segment', () => {
  it('cuts Chinese into words, and long words into the words inside them', () => {
    expect(segment('数据库连接失败')).toEqual(['数据', '据库', '数据库', '连接', '失败']);
    expect(segment('长江大桥')).toEqual(expect.arrayContaining(['长江大桥', '大桥']));
  });

  it('stems English and ignores its case and possessives', () => {
    expect(segment('Connections CONNECTED the school’s connecting schools')).toEqual([
      'connect',
      'connect',
      'school',
      'connect',
      'school',
    ]);
  });

  it('leaves out words without a meaning of their own, in both languages', () => {
    expect(segment('what is the 的 是 什么 of')).toEqual([]);
  });

  it('keeps both halves of a mixed question', () => {
    expect(segment('go 部署 deployment')).toEqual(['go', '部署', 'deploy']);
    expect(segment('用Redis做缓存')).toEqual(expect.arrayContaining([...segment('Redis'), '缓存']));
  });

  it('finds a four-character term inside a sentence', () => {
    expect(finds('知识产权', '公司高度重视知识产权的保护工作')).toBe(true);
  });

  for (const [question, text] of [
    ['ERR_CONN_42', 'fails with ERR_CONN_42 at start'],
    ['err conn 42', 'fails with ERR_CONN_42 at start'],
    ['v2.4.0', 'since v2.4.0 it works'],
    ['2.4.0', 'since v2.4.0 it works'],
    ['user@example.com', 'write to User@Example.com today'],
    ['example', 'write to user@example.com today'],
    ['search documents', 'call searchDocuments() first'],
    ['searchdocuments', 'call searchDocuments() first'],
    ['HTTP server', 'the HTTPServer class'],
    ['API', 'three APIs'],
    ['email', 'send an e-mail'],
    ['sha256', 'its SHA-256 digest'],
    ['C++', 'written in C++ and C#'],
    ['24718', 'it seats 24,718 people'],
    ['3.14', 'pi is 3.14'],
    ['docs', 'https://docs.example.com/start.html'],
    ['ＡＰＩ １２３', 'api 123'],
    ['系統管理', '系統管理員'],
    ['テスト', '日本語のテストです'],
    ['지식', '지식베이스에서'],
    ['ภาษาไทย', 'เอกสารภาษาไทยนี้'],
    ['café', 'cafe\u0301'],
  ] as const) {
    it(`finds ${JSON.stringify(question)} in ${JSON.stringify(text)}`, () => {
      expect(finds(question, text)).toBe(true);
    });
  }

  it('tells C, C++ and C# apart', () => {
    expect(new Set([...segment('C'), ...segment('C++'), ...segment('C#')]).size).toBe(3);
  });

  it('gives the same terms again, none of them blank, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const terms = segment(text);
        expect(segment(text)).toEqual(terms);
        for (const term of terms) expect(term.trim()).not.toBe('');
      }),
    );
  });

  it('gets through text that no language has', () => {
    for (const text of [
      'a\u0301\u0316'.repeat(40_000),
      '\u0301\u0316'.repeat(80_000),
      'a_'.repeat(80_000),
      'aB'.repeat(80_000),
    ]) {
      expect(segment(text).length).toBeLessThanOrEqual(text.length);
    }
  });
});
