import { expect, it } from 'vitest'
import { languageOf } from '../../../src/detect/text/language.js'

it.each([
  [
    'en',
    'Nobody had told the baker that the bridge was closed, so he drove all the way around the lake with his bread.',
  ],
  [
    'de',
    'Niemand hatte dem Bäcker gesagt, dass die Brücke gesperrt war, und so fuhr er mit dem Brot um den ganzen See.',
  ],
  ['fr', "Personne n'avait dit au boulanger que le pont était fermé, et il a fait le tour du lac avec tout son pain."],
  [
    'es',
    'Nadie le había dicho al panadero que el puente estaba cerrado, así que dio la vuelta al lago con todo su pan.',
  ],
  ['pt', 'Ninguém tinha dito ao padeiro que a ponte estava fechada, e ele deu a volta ao lago com o seu pão todo.'],
  [
    'it',
    'Nessuno aveva detto al fornaio che il ponte era chiuso, e così ha fatto il giro del lago con tutto il suo pane.',
  ],
  ['nl', 'Niemand had de bakker verteld dat de brug dicht was, en dus reed hij met het brood om het hele meer heen.'],
  ['sv', 'Ingen hade sagt till bagaren att bron var stängd, och han körde runt hela sjön med sitt bröd den dagen.'],
  [
    'pl',
    'Nikt nie powiedział piekarzowi, że most jest zamknięty, więc objechał z chlebem całe jezioro i wrócił do domu.',
  ],
  [
    'tr',
    'Kimse fırıncıya köprünün kapalı olduğunu söylememişti ve o da ekmekle bütün gölün etrafını dolaştı, çok geç kaldı.',
  ],
  [
    'id',
    'Tidak ada yang memberi tahu tukang roti bahwa jembatan itu ditutup, jadi dia berkeliling danau dengan semua rotinya.',
  ],
  [
    'ms',
    'Tiada siapa memberitahu tukang roti itu bahawa jambatan telah ditutup kerana banjir, iaitu sejak semalam, kata beliau.',
  ],
  ['ru', 'Никто не сказал пекарю, что мост закрыт, и он поехал с хлебом вокруг всего озера, хотя уже было поздно.'],
  [
    'bg',
    'Никой не беше казал на хлебаря, че мостът е затворен, и той обиколи с хляба цялото езеро, въпреки че беше късно.',
  ],
  ['uk', 'Ніхто не сказав пекареві, що міст закрито, і він об’їхав із хлібом усе озеро, хоча вже було пізно.'],
  ['sr', 'Нико није рекао пекару да је мост затворен, па је са хлебом обишао цело језеро, иако је већ било касно.'],
  ['ar', 'لم يخبر أحد الخباز أن الجسر مغلق، فدار حول البحيرة كلها ومعه الخبز، مع أن الوقت كان متأخرا.'],
  ['und', 'هیچ کس به نانوا نگفته بود که پل بسته است و او با نان دور دریاچه گشت، گرچه دیر شده بود.'],
  ['zh', '没有人告诉面包师桥已经封了，于是他带着面包绕着整个湖开了一圈，回到家的时候天已经黑了。'],
  ['ja', '橋が閉まっていることを誰もパン屋に言わなかったので、彼はパンを持って湖をぐるりと回った。'],
  ['ko', '다리가 막혔다고 아무도 빵집 주인에게 말하지 않아서 그는 빵을 싣고 호수를 한 바퀴 돌았다.'],
  ['und', 'Κανείς δεν είχε πει στον φούρναρη ότι η γέφυρα ήταν κλειστή, κι έτσι γύρισε όλη τη λίμνη με το ψωμί.'],
  ['und', 'lorem dolor consectetur adipiscing elit eiusmod tempor incididunt labore magna aliqua veniam quis nostrud'],
  ['und', '12345 67890 !!! ???'],
  ['und', ''],
])('languageOf %s: %s', (code, text) => {
  expect(languageOf(text)).toBe(code)
})
