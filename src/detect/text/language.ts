/**
 * The language of a prose text, by script and by the words that carry its grammar. Made to distinguish the languages that
 * detectors are trained on from their neighbors, not to name every language; what it cannot place it calls `und`.
 */

/** Frequent words of languages in Latin script; each list holds the ones that its neighbors lack as well as shared ones. */
const LATIN: Readonly<Record<string, string>> = {
  en: 'the of and to in a is that it for was as with on be at by this which from or an but not are have had they you his we she he i my your their what were been would there will all when who if so more can has about out up them into',
  de: 'der die das und ist nicht zu den mit von ein eine auf für sich des dem im auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man',
  fr: 'le la les de des et est un une du en que qui dans pour pas sur au plus par ne se ce il avec sont son à aux cette ou nous mais été comme elle ont leur vous je sa ses tout fait même être deux',
  es: 'el la los las de que y en un una por con no se su para es al lo como más del pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante',
  pt: 'o a os as de que e do da em um uma para com não se na no por mais dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos seus são foi',
  it: 'il lo la i gli le di che e è un una in per non con si da del della dei sono come più ma anche al nel alla ha questo delle se ci o nella era essere suo loro dal tra quando molto degli cui',
  nl: 'de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij nog uit naar wordt door over hij ze worden kan geen heeft hebben deze wel meer was werd tot of je ik zo',
  sv: 'och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när år under också efter eller nu sin där vid mot ska skulle kommer ut får finns',
  da: 'og i at det er en til på som for med af den de ikke har et han var fra jeg der men sig så vi kan om ved nu efter eller skal blev også være havde hun over når kun ud op',
  no: 'og i det er på en som for å med til av at de ikke den har et han var fra jeg om så men vi seg kan ble ved etter også eller skal være hun hadde når over mot blir ut opp',
  fi: 'ja on ei että se hän oli mutta niin kun myös joka ovat kuin tai ole sen jos hänen mitä vain olen tämä ollut nyt mukaan sekä vielä voi jo ne nyt kanssa mukaan jälkeen',
  pl: 'i w na z się nie do to że jest o jak od za po przez co ale był dla jego tym są ma tylko już być może tego ze które która który był przy także go czy lub tak ich jej',
  cs: 'a v na se je že to s z do i o jako za pro ale by ve po od k jsem jsou jeho který byl ze tak co při které si už jen nebo není bylo než podle také být má více',
  ro: 'și de în la a cu pe că nu o un să din este ce mai sunt pentru prin dar ca se au fost al ale lui care după fi sau am doar această aceasta lor foarte fără între sa între cum',
  hu: 'a az és hogy nem is egy de volt ez meg csak már mint van el azt még kell ha vagy ki mert után aki minden lehet be amely során lett ezt több szerint úgy pedig',
  tr: 've bir bu da de için ile çok daha olarak ne gibi ama en var kadar sonra ki olan o ya her değil mi ancak göre diye ise içinde ben sen oldu olduğu şey büyük tarafından',
  id: 'yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke karena ada mereka adalah oleh saya kita telah bisa sudah lebih atau kami tersebut dapat seperti bahwa menjadi kepada ia para tahun saat orang namun secara antara lagi serta belum hanya',
  ms: 'yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke kerana ada mereka adalah oleh saya kita telah boleh sudah lebih atau kami tersebut dapat seperti bahawa menjadi kepada beliau para tahun ketika orang namun antara lagi serta belum hanya ialah daripada iaitu berkata sebuah mahu bagi',
  tl: 'ang ng sa na mga at ay ni si kay para ito hindi siya niya ako ko mo ka po nang kung may mula din rin pa lang kanyang isang dahil ngunit noong ating naman pero doon iyon',
  vi: 'và của là có không được một cho trong người với các để này những khi đã ở đó cũng từ về như tôi ra sẽ nhiều làm còn vào lại hay đến anh năm chỉ sau',
  sw: 'na ya wa kwa ni katika za la kuwa hiyo cha kama huo yake hii pia au hilo sana wao baada watu alisema moja vya lakini zaidi kila bila yao hivyo',
}

/** Languages in Cyrillic script: letters that only they use among these, each standing for one word, and frequent words. */
const CYRILLIC: Readonly<Record<string, { letters: RegExp | null; words: string }>> = {
  ru: {
    letters: /[ыэё]/gu,
    words: 'и в не на что с как это по но он из у за то от же его для все был о бы так или мы при они она уже было',
  },
  bg: {
    letters: /ъ/gu,
    words: 'и на да се в за от не с че е са по си като до това но ще беше или след още към само които който при както',
  },
  uk: { letters: /[іїєґ]/gu, words: 'і в не на що з як це до та у за від але він його для був про або ми при вони' },
  be: { letters: /[ўі]/gu, words: 'і ў не на што з як гэта да але ён яго для быў пра або мы яны' },
  sr: { letters: /[јљњћђ]/gu, words: 'и у је да се на за од са су који не то као што али или био' },
  mk: { letters: /[ѓќѕјљњ]/gu, words: 'и на во да се од за со е не го ги што како кој беше но или' },
  kk: { letters: /[әғқңөұүһі]/gu, words: 'және бұл мен үшін деп бір ол да де' },
}

/** Letters of languages in Arabic script that Arabic lacks. */
const NOT_ARABIC = /[پچژگکیٹڈڑےںھہۀڵێەۆ]/gu

/** As much of a text is looked at, UTF-16 units; a book is long and written in one language. */
const MAX_LOOKED_AT = 50_000
/** Share of the letters that a script needs before the text is taken for one of its languages. */
const MAIN_SCRIPT_SHARE = 0.6
/** Share of the words that must be known of a language in Latin or Cyrillic script. */
const MIN_KNOWN_SHARE = 0.12
/** Letters of its own weigh less than words; divided by this they count as words. */
const LETTERS_A_WORD = 6

const wordLists = new Map<string, ReadonlySet<string>>(
  [...Object.entries(LATIN), ...Object.entries(CYRILLIC).map(([code, { words }]) => [code, words] as const)].map(
    ([code, words]) => [code, new Set(words.split(' '))],
  ),
)

/** ISO 639 code of the language a text is written in, or `und` where it is none of those known here. */
export function languageOf(whole: string): string {
  const text = whole.slice(0, MAX_LOOKED_AT)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const share = (script: RegExp) => (text.match(script)?.length ?? 0) / Math.max(letters, 1)
  const [han, kana] = [share(/\p{Script=Han}/gu), share(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)]
  if (han + kana > MAIN_SCRIPT_SHARE) return kana > 0.05 ? 'ja' : 'zh'
  if (share(/\p{Script=Hangul}/gu) > MAIN_SCRIPT_SHARE) return 'ko'
  if (share(/\p{Script=Arabic}/gu) > MAIN_SCRIPT_SHARE) return share(NOT_ARABIC) > 0.02 ? 'und' : 'ar'
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  if (share(/\p{Script=Cyrillic}/gu) > MAIN_SCRIPT_SHARE) return mostKnown(Object.keys(CYRILLIC), words, text)
  if (share(/\p{Script=Latin}/gu) > MAIN_SCRIPT_SHARE) return mostKnown(Object.keys(LATIN), words, text)
  return 'und'
}

function mostKnown(codes: readonly string[], words: readonly string[], text: string): string {
  let best = { code: 'und', points: MIN_KNOWN_SHARE * words.length }
  for (const code of codes) {
    const list = wordLists.get(code) as ReadonlySet<string>
    const own = CYRILLIC[code]?.letters
    const letters = own ? (text.toLowerCase().match(own)?.length ?? 0) / LETTERS_A_WORD : 0
    const points = words.filter((word) => list.has(word)).length + letters
    if (points > best.points) best = { code, points }
  }
  return best.code
}
