import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { startCpuTimer } from '../../test/support/cpu-timer.js';
import { detectEncoding } from './detect-encoding.js';

/** A sentence in an encoding, written by iconv of the C library. */
const encode = (text: string, encoding: string): Buffer => execFileSync('iconv', ['-f', 'UTF-8', '-t', encoding], { input: text });

const TEXTS = [
  ['pl', 'CP1250', 'Zażółć gęślą jaźń. Dziękuję, że przyszedłeś. Czy możesz mi pomóc? Śpij.'],
  ['cs', 'CP1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy. Škoda že jsme přišli pozdě.'],
  ['hu', 'CP1250', 'Árvíztűrő tükörfúrógép. Köszönöm, hogy eljöttél. Nem tudom, mit csináljak.'],
  ['ru', 'CP1251', 'Привет, как дела? Я очень рад тебя видеть. Мы должны идти домой сейчас.'],
  ['de', 'CP1252', 'Schöne Grüße aus München. Über den Wolken muß die Freiheit wohl grenzenlos sein.'],
  ['fr', 'CP1252', 'Ça va très bien, merci. Où êtes-vous allé cet été ? C’est déjà l’été à la forêt.'],
  ['el', 'CP1253', 'Καλημέρα, τι κάνεις; Άργησα πολύ, είμαι πολύ χαρούμενος που σε βλέπω σήμερα.'],
  ['tr', 'CP1254', 'Merhaba, nasılsın? Seni gördüğüme çok sevindim. Işık şimdi söndü, geç oldu.'],
  ['he', 'CP1255', 'שלום, מה שלומך? אני מאוד שמח לראות אותך היום.'],
  ['ar', 'CP1256', 'مرحبا، كيف حالك؟ أنا سعيد جدا برؤيتك اليوم.'],
  ['lt', 'CP1257', 'Labas rytas, kaip sekasi? Aš labai džiaugiuosi, kad atėjai. Ačiū už viską, žmonės.'],
  ['et', 'CP1257', 'Tere päevast, kuidas läheb? Ma olen väga rõõmus, et sa tulid. Õhtul sööme.'],
  ['zh', 'GB18030', '你好，你今天怎么样？我很高兴见到你。'],
  ['zh-TW', 'BIG5', '你好，你今天怎麼樣？我很高興見到你。我們現在應該回家了。'],
  ['ja', 'SHIFT_JIS', 'こんにちは、お元気ですか。今日は会えてとても嬉しいです。'],
  ['ko', 'EUC-KR', '안녕하세요, 어떻게 지내세요? 오늘 만나서 정말 반갑습니다.'],
] as const;
/** By iconv, too: TextDecoder of some versions of Node reads 0x80 to 0x9f of windows-1252 differently. */
const decode = (content: Buffer, language: string | null) =>
  execFileSync('iconv', ['-f', detectEncoding(content, language).replace('windows-', 'CP'), '-t', 'UTF-8'], { input: content }).toString();

describe('the encoding of a text', () => {
  it.each(TEXTS)('%s in %s is detected with its language', (language, encoding, text) => {
    const cues = `1\n00:00:01,000 --> 00:00:03,000\n${text}\n\n`;
    expect(decode(encode(cues, encoding), language)).toBe(cues);
    expect(decode(encode(cues.repeat(400), encoding), language)).toBe(cues.repeat(400));
  });

  it.each(TEXTS.filter(([language]) => !['ar', 'tr', 'et'].includes(language)))('%s in %s is detected without it', (_, encoding, text) => {
    expect(decode(encode(text, encoding), null)).toBe(text);
  });

  it('that says something else than its language goes by the text', () => {
    expect(detectEncoding(encode(TEXTS[14][2], 'SHIFT_JIS'), 'ru')).toBe('shift_jis');
    expect(detectEncoding(encode(TEXTS[12][2], 'GB18030'), 'en-US')).toBe('gb18030');
  });

  it.each([
    ['no line ends', Buffer.alloc(10_000_000, 'ä', 'latin1')],
    ['only ASCII, and one letter at the end', Buffer.concat([Buffer.alloc(10_000_000, 'a\n'), Buffer.from([0xe4])])],
    ['no text', Buffer.alloc(1_000_000, 0xff)],
    ['nothing', Buffer.alloc(0)],
  ])('of a file with %s is found at once', (_, content) => {
    const elapsed = startCpuTimer();
    expect(detectEncoding(content, 'de')).toBe('windows-1252');
    // chardet alone takes 13 seconds for 10 MB, on a machine that does nothing else.
    expect(elapsed()).toBeLessThan(3_000);
  });
});
