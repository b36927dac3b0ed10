import { randomNumbers } from './random-numbers.js';

/** Texts of both languages, and questions of which no two are equal. */
export interface SourceTexts {
  /** Where they are from, in words. */
  origin: string;
  passages: string[];
  questions: string[];
}

const words = {
  zh: '数据 备份 恢复 索引 查询 文档 系统 管理 员工 合同 付款 期限 网络 安全 权限 审计 日志 服务 部署 升级 长江 大桥 历史 城市',
  en: 'backup restore index query document system manager contract payment deadline network security audit log service city',
};
const lists = { zh: words.zh.split(' '), en: words.en.split(' ') };

/** Random words of a language. */
export function syntheticSentence(language: keyof typeof lists, length: number, random: () => number): string {
  const list = lists[language];
  const picked = Array.from({ length }, () => list[Math.floor(random() * list.length)]!);
  return language === 'zh' ? `${picked.join('')}。` : `${picked.join(' ')}. `;
}

/** Texts of random words, for where no corpus lies beside the project. */
export function syntheticTexts(): SourceTexts {
  const random = randomNumbers(2);
  const both = (['zh', 'en'] as const).flatMap((language) => Array.from({ length: 240 }, () => language));
  const passage = (language: 'zh' | 'en') =>
    Array.from({ length: 8 }, () => syntheticSentence(language, 12, random)).join('');
  return {
    origin: 'texts of random words (no corpus lies beside the project)',
    passages: both.map(passage),
    questions: Array.from(
      { length: 2400 },
      (_, number) => `${number} ${syntheticSentence(number % 2 ? 'zh' : 'en', 6, random)}`,
    ),
  };
}
