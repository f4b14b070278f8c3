import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { startCpuTimer } from '../../test/support/cpu-timer.js';
import { createDecoder } from './create-decoder.js';
import { detectEncoding, findEncoding } from './detect-encoding.js';

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
/** Encodings of other systems, and short cues. */
const OLDER = [
  ['th', 'CP874', 'สวัสดีครับ คุณสบายดีไหม'],
  ['th', 'TIS-620', 'นกนางนวลบินอยู่เหนือท่าเรือ'],
  ['zh-Hant', 'BIG5', '快走'],
  ['zh-TW', 'BIG5', '海鷗飛過港口'],
  ['zh-Hant', 'GB18030', '我們現在應該回家了，你知道嗎？'],
  ['zh', 'BIG5', '你好，你今天怎麼樣？我很高興見到你。'],
  ['cs', 'ISO-8859-2', 'Příliš žluťoučký kůň úpěl ďábelské ódy.'],
  ['cs', 'ISO-8859-2', 'Příliš'],
  ['cs', 'CP852', 'Příliš žluťoučký kůň'],
  ['sk', 'ISO-8859-2', 'Ďakujem, že si prišiel. Ľúbim ťa.'],
  ['pl', 'ISO-8859-2', 'Dziękuję, że przyszedłeś. Ślą źródło.'],
  ['hr', 'ISO-8859-2', 'Što radiš? Živim u kući.'],
  ['hu', 'ISO-8859-2', 'Köszönöm, hogy eljöttél, őrült.'],
  ['ro', 'ISO-8859-2', 'Mulţumesc că ai venit, şi tu eşti.'],
  ['ru', 'KOI8-R', 'Привет, как дела?'],
  ['ru', 'KOI8-R', 'ПРИВЕТ, КАК ДЕЛА? ИДИ СЮДА'],
  ['ru', 'CP1251', 'ПРИВЕТ, КАК ДЕЛА? ИДИ СЮДА'],
  ['ru', 'CP866', 'Привет, как дела?'],
  ['ru', 'CP866', 'Чайка летит над гаванью.'],
  ['ru', 'ISO-8859-5', 'Привет, как дела?'],
  ['ru', 'MAC-CYRILLIC', 'Завтра будет шторм. Я вижу моря.'],
  ['uk', 'KOI8-U', 'Привіт, як справи? Її тут немає.'],
  ['bg', 'CP1251', 'Здравей, как си? Много се радвам да те видя.'],
  ['de', 'CP850', 'Schöne Grüße, Übung'],
  ['fr', 'CP850', 'Café déjà vu, où êtes-vous ?'],
  ['fr', 'CP437', 'Café déjà vu, où êtes-vous ?'],
  ['fr', 'MACINTOSH', 'Café déjà vu, où êtes-vous ? Ça va.'],
  ['de', 'MACINTOSH', 'Schöne Grüße'],
  ['es', 'MACINTOSH', 'Mañana será otro día, ¿sí?'],
  ['es', 'CP850', 'Mañana será otro día, ¿sí?'],
  ['pt', 'CP850', 'Não há razão, você está aí?'],
  ['da', 'CP850', 'Blåbærgrød på øen'],
  ['fr', 'ISO-8859-15', 'Le cœur de la sœur à l’œuvre'.replace('’', "'")],
  ['el', 'ISO-8859-7', 'Άργησα πολύ, είμαι χαρούμενος'],
  ['el', 'CP737', 'Καλημέρα, τι κάνεις;'],
  ['tr', 'CP857', 'Seni gördüğüme çok sevindim. Işık söndü.'],
  ['he', 'CP862', 'שלום, מה שלומך?'],
  ['he', 'ISO-8859-8', 'שלום, מה שלומך?'],
  ['ar', 'ISO-8859-6', 'مرحبا، كيف حالك؟ أنا سعيد جدا برؤيتك اليوم.'],
  ['lt', 'ISO-8859-13', 'Labas rytas, ačiū už viską, žmonės.'],
  ['ja', 'EUC-JP', 'こんにちは、お元気ですか。'],
  ['vi', 'CP1258', 'đó là ông'],
] as const;
/** The same encoding by other names in iconv. */
const CALLED: readonly (readonly [RegExp, string])[] = [
  [/^windows-|^ibm/, 'CP'],
  [/^x-mac-cyrillic$/, 'MAC-CYRILLIC'],
];
const cuesOf = (text: string) => `1\n00:00:01,000 --> 00:00:03,000\n${text}\n\n`;
/** By iconv, too: TextDecoder of some versions of Node reads 0x80 to 0x9f of windows-1252 differently. */
const decodeAs = (content: Buffer, encoding: string) => {
  const called = CALLED.reduce((name, [from, to]) => name.replace(from, to), encoding);
  return execFileSync('iconv', ['-f', called, '-t', 'UTF-8'], { input: content }).toString();
};

describe('the encoding of a text', () => {
  it.each([...TEXTS, ...OLDER])('%s in %s is found with its language', (language, encoding, text) => {
    const cues = cuesOf(text);
    expect(decodeAs(encode(cues, encoding), findEncoding(encode(cues, encoding), language) ?? 'ASCII')).toBe(cues);
  });

  it.each(TEXTS)('%s in %s is found in a long text', (language, encoding, text) => {
    const long = cuesOf(text).repeat(400);
    expect(decodeAs(encode(long, encoding), findEncoding(encode(long, encoding), language) ?? 'ASCII')).toBe(long);
  });

  it.each([...TEXTS, ...OLDER])('%s in %s is read as the C library reads it', (language, encoding, text) => {
    const content = encode(text, encoding);
    const decode = createDecoder(findEncoding(content, language) ?? 'utf-8');
    expect((decode(content) + decode()).normalize('NFC')).toBe(text);
  });

  it.each(TEXTS.filter(([language]) => !['ar', 'tr', 'et'].includes(language)))('%s in %s is detected without it', (_, encoding, text) => {
    expect(decodeAs(encode(text, encoding), findEncoding(encode(text, encoding), null) ?? 'ASCII')).toBe(text);
  });

  it.each(TEXTS)('%s is UTF-8 also with a wrong byte', (language, _, text) => {
    expect(findEncoding(Buffer.concat([Buffer.from(text), Buffer.from('na\xefve', 'latin1')]), language)).toBe('utf-8');
  });

  it.each([
    ['th', 'CP1251', TEXTS[3][2]],
    ['de', 'CP1251', TEXTS[3][2]],
    ['en', 'CP874', OLDER[0][2]],
    ['en', 'ISO-8859-2', TEXTS[1][2]],
    ['fr', 'ISO-8859-2', TEXTS[0][2]],
    ['ru', 'CP874', OLDER[0][2]],
    ['hi', 'CP1252', TEXTS[5][2]],
    ['ja', 'CP1251', TEXTS[3][2]],
    ['ko', 'CP1252', TEXTS[5][2]],
    ['cs', 'KOI8-R', TEXTS[3][2]],
    ['vi', 'TCVN', 'Xin chào, bạn có khỏe không? Tôi rất vui được gặp bạn.'],
  ])('labelled %s, in %s, cannot be told', (language, encoding, text) => {
    expect(findEncoding(encode(cuesOf(text), encoding), language)).toBeNull();
  });

  it('has lines of an East Asian language within another one', () => {
    expect(findEncoding(encode(TEXTS[14][2], 'SHIFT_JIS'), 'ru')).toBe('shift_jis');
    expect(findEncoding(encode(TEXTS[12][2], 'GB18030'), 'en-US')).toBe('gb18030');
  });

  it.each([
    ['en', '“Wait…” – she said to Beyoncé, “it´s naïve.”'],
    ['de', 'Der Citroën von Señor Dvořák steht am Café.'.replace('ř', 'r')],
    ['fr', '« L’été… c’est déjà là — à bientôt ! »'],
    ['fr', 'Attends… Non… Oui… « Bien. »'],
    ['es', '¿Qué? ¡No! París–Madrid, 25° C, nº 5.'],
    ['en', '25£ and “5½ miles”'],
    ['it', 'Città di Forlì: perché no? È così.'],
    ['sw', 'Café ya “Zanzibar”'],
  ])('%s with the signs of Windows is that of Windows: %s', (language, text) => {
    expect(findEncoding(encode(text, 'CP1252'), language)).toBe('windows-1252');
  });

  it.each([
    ['no line ends', Buffer.alloc(10_000_000, 'ä', 'latin1')],
    ['only ASCII, and one letter at the end', Buffer.concat([Buffer.alloc(10_000_000, 'a\n'), Buffer.from([0xe4])])],
    ['no text', Buffer.alloc(1_000_000, 0xff)],
    ['nothing', Buffer.alloc(0)],
  ])('of a file with %s is found at once', (_, content) => {
    const elapsed = startCpuTimer();
    detectEncoding(content);
    for (const language of ['de', 'ru', 'zh', null]) findEncoding(content, language);
    // chardet alone takes 13 seconds for 10 MB, on a machine that does nothing else.
    expect(elapsed()).toBeLessThan(3_000);
  });
});
