import { describe, expect, it } from '@jest/globals';
import { misreadEncoding } from './misread-encoding.js';

const asWindows1252 = (bytes: Uint8Array): string => new TextDecoder('windows-1252').decode(bytes);
const chinese = '年假与备份：员工每年有五天年假。Backups run at 02:00.\n';
/** The text above in GBK. */
const gbk = Buffer.from(
  'c4eabcd9d3ebb1b8b7dda3baD4B1B9A4C3BFC4EAD3D0CEE5CCECC4EABCD9A1A34261636b7570732072756e2061742030323a30302e0a',
  'hex',
);

describe('a text whose bytes were read as Latin-1', () => {
  it.each([
    ['GBK', gbk],
    ['UTF-8', Buffer.from(chinese)],
    ['UTF-8', Buffer.from('Ce café a été fermé. “Quoted” — naïve.')],
    ['UTF-8', Buffer.from('🎉 → done')],
  ])('was %s', (encoding, bytes) => {
    expect(misreadEncoding(asWindows1252(bytes))).toBe(encoding);
    expect(misreadEncoding(bytes.toString('latin1'))).toBe(encoding);
  });

  it('is found in a long text', () => {
    const bytes = Buffer.concat(Array.from({ length: 2000 }, () => gbk));
    expect(misreadEncoding(asWindows1252(bytes))).toBe('GBK');
  });
});

it.each([
  'plain ASCII',
  chinese,
  'Le café est fermé, l’été arrive.',
  'El año pasado, el niño comió piñones. ¿Qué? ¡Ah!',
  'Größe, Maß, Äpfel, Übermut und süße Öle',
  'Þetta er íslenska: æðið, þýðing, jörðin',
  'São Paulo não é à beira-mar; ações, corações',
  'Price: 5 £ ± 2 % · § 7 · 20 °C',
  '········ §§§§§§§§ »»»»»»»» ————————',
  '“Smart quotes” — and dashes… and a €',
  'You see "Ã©" instead of é.',
  'One © alone',
])('%j is what it seems', (text) => {
  expect(misreadEncoding(text)).toBeUndefined();
});
