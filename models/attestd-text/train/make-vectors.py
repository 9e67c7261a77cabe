#!/usr/bin/python3
"""Writes test/vectors/text-vectors.json: made-up strings, what the pack's norm.py makes of them, their features, and the numbers that the
tokenizer of the package above gives them (so that it is to be run again after each training).

    python3 make-vectors.py --norm DIR/norm.py [--out FILE]

The TypeScript port is tested against this file. No string comes from the pack.
"""

import argparse
import hashlib
import importlib.util
import json
import pathlib
import random

from tokenizers import Tokenizer

import data
import features
import published
import style

OUT = pathlib.Path(__file__).resolve().parents[3] / "test" / "vectors" / "text-vectors.json"
RANDOM_CASES = 150

PROSE = [
    "The ferry left late, as it always did on Thursdays, and the gulls followed it out past the breakwater. Nobody on "
    "deck said much. A boy counted buoys; his sister counted gulls, lost count, and began again! \"Eleven,\" she said. "
    "\"No - twelve.\" By noon the wind had turned, and everyone went below to drink tea from paper cups.",
    "Don't ask me why it didn't work. I can't tell you, and I wouldn't if I could. It was 1987, maybe 1988... the shop on "
    "Mill Street had 3 fans, no heating and a cat called Mr. Biscuit. We sold maps (mostly old ones), and once, only once, "
    "a globe that was 100% wrong about Africa. Who buys a globe? My aunt did.",
    "Moreover, it is important to note that sustainable gardening offers numerous benefits, fostering biodiversity, improving "
    "soil health, and enhancing community well-being. By embracing these practices, individuals can create vibrant spaces "
    "that not only thrive but also inspire. Ultimately, the journey toward greener living begins with a single seed.",
    "今天早上下了一场小雨，街上的人不多。我在车站等了二十分钟，公共汽车才慢慢开过来。司机说：“前面修路，请大家耐心一点。”车里很安静，只有一个孩子在数窗外的树！"
    "到了学校，老师已经开始上课了，我只好从后门悄悄走进去。同学们都笑了，老师也笑了。下课以后，他问我为什么迟到，我说因为下雨，他说明天带伞。",
    "Утром шёл дождь, и на станции почти никого не было. Старик читал газету; мальчик считал вагоны. «Сколько?» — спросил "
    "он. «Тридцать два», — ответил мальчик и улыбнулся. Потом поезд ушёл, а мы остались пить чай из бумажных стаканов.",
    "Pagi itu hujan turun pelan-pelan, dan pasar belum ramai. Ibu membeli cabai, bawang, dan ikan asin; saya membawa "
    "keranjang yang terlalu besar. \"Jangan lari,\" katanya. Tetapi saya sudah lari, dan telur itu pecah di depan toko beras.",
    "Сутринта валеше дъжд и на гарата нямаше почти никого. Един старец четеше вестник, а момчето броеше вагоните. Накрая "
    "влакът тръгна, но ние още стояхме под навеса и говорехме за времето, сякаш нищо не се беше случило.",
    "في الصباح نزل مطر خفيف، ولم يكن في المحطة أحد تقريبا. قرأ الرجل الجريدة، وعدّ الولد العربات؛ ثم قال: كم عددها؟ ضحكنا "
    "جميعا وشربنا الشاي في أكواب من ورق، وبقينا ننتظر القطار التالي حتى الظهر.",
]

CASES = [
    "", " ", "\n\n\n", "-", "- -", "\"", "'", "\"'-", "''", "``", "a", "\u00a0", "\ufeff", "\u200b\u200b", "\r\n\r", "\x00\x01\x02",
    "\x85", "a\x85b", "a\u2028b\u2029c", "a\u3000b", "a\u1680b\u202fc", "\x1c\x1d\x1e\x1f", "tab\tand\x0bvertical\x0cfeed",
    "e\u0301te\u0301", "\u212b and \u2126", "\u1100\u1161\u11a8", "soft\u00adhyphen", "zero\u200dwidth\u2060joiner",
    "’tis ‘so’ “they” say… «oui» ″inch″ ʼokina ´acute", "non\u2011breaking\u2010hyphen \u22125", "‚low‛ „high‟",
    "# Heading\nText", "   ## Heading two ##\nText", "    # four spaces", "####### seven", "#hashtag is kept?", "a\n#b\n  #c",
    "Sure! Here you go:\nThe text.", "Sure, here it is\n\nThe text.", "Certainly. A reply\nThe text.", "OK, fine\nx", "ok\nx", "OKAY! a\nb",
    "Of course, gladly\n\nTitle Line\n\nThe body starts.", "Here is the essay:\n\nThe body.", "Here's what I wrote: \n The body.",
    "Here are three: a\nb", "Below is a list:\nItem", "This is it:\n\nBody", "This is a plain sentence.", "Title: A day\nBody", "TITLE : x",
    "Abstract: We show that.", "article: a", "Review:Great food", "Essay:\n\nOne.", "story: once", "Answer: 42", "Response: yes",
    "Revised text: better", "Rewritten Text:better", "polished text: shine", "Tıtle: dotless", "TİTLE: dotted", "Polıshed Text: x",
    "ſure, long s\nx", "Re\u017fponse: long s", "A Title Without Stop\n\nThe body starts here.", "A title. With stop\n\nThe body.",
    "A Title\n \t\nBody", "A Title\nBody", "Title one\n\nTitle two\n\nTitle three\n\nBody.", "x" * 89 + "\n\nBody", "x" * 90 + "\n\nBody",
    "x" * 91 + "\n\nBody", "😀" * 90 + "\n\nBody", "😀" * 91 + "\n\nBody", "标题\n\n正文。", "标题。\n\n正文。",
    "- item one\n- item two\n* star\n• dot", "1. one\n2) two\n10. ten\n100. hundred", "١. arabic digit\n٢) two", "-no space", "1.no space",
    "\n\n  - after blank lines\n\n\n  2.  next", "[link](http://example.org/a) and [two words](x)", "[a](b c)", "[a\nb](c)", "[](x)",
    "[" + "l" * 80 + "](u)", "[" + "l" * 81 + "](u)", "[a](" + "u" * 300 + ")", "[a](" + "u" * 301 + ")", "[[nested]](x)", "![image](x.png)",
    "**bold** _it_ `code` ~~gone~~ ``quoted'' |table|", "a|b#c", "| a | b |", "***", "a**b", "snake_case_name", "~",
    "see https://example.org/x?y=1, or www.example.org. URL URL12 URLs", "http://", "https://a\u00a0b", "HTTP://UPPER.example", "wwwx www.",
    "[deleted] [ Removed ] [wp] [WP] [ deleted\n]", "[DELETED]", "[de1eted]", "a<br>b<br/>c<BR />d< newline >e<NewLine>f", "<br x>",
    "a—b – c ― d", "a -- b --- c - d -e- f", "a---b", "a ---- b", "--", "— —", "a -\nb", "a\n-\nb", "a - - b", "-- a --", "a-b-c", "x –y", "- – —",
    "do n't wo n't ca n't it 's we 're I 've he 'll she 'd I 'm", "DO N'T IT 'S", "is n't", "did n't did 't", "a 's", "dog 'sled", "x 'set",
    "it ' s we ' re don ' t", "it ' s5", "é ' s", "gon na wan na got ta GON NA gonna na", "ai n't AI N'T aı n't dıd n't dİd n't", "i\u017f n't",
    "Hello , world ! How ( are ) you [ now ] { ok } ? 50 % $ 5", "a ; b : c", "« quoted »", "你好 ， 世界 。 是 ！", "（ 你 ）", "a  。b",
    "Wow!!!!! What????? ......", "!!!", "!!!!", "a....b", "?!?!?!", "。。。。",
    '" Yes , " he said , " I know . "', '" Yes', 'a " b', 'a " b " c " d', 'he said " hello " and left', '"Yes" is fine', '" a "" b "', '"" x', '" é "',
    '" "', 'x " 5', '"odd start', "'odd start", '"even" end"', '- "a', "' - x - '", '"-\'a\'-"', "-a-", " -- ", "'a' \"b", "\"'", '"a" - ',
    "a" + " " * 399 + "b", "a" + " " * 400 + "b", "a" + " " * 2000 + "b", "Title" + " " * 500 + "\n" + " " * 500 + "\nBody",
    "Title\n" + "\n" * 1000 + "Body", "\n" * 1000 + "# heading", "\n" * 1000 + "    # heading", " " * 1000 + "- item", "a" + "\n" * 1000 + "- item",
    "Sure," + "x" * 160 + "\nBody", "Sure," + "x" * 161 + "\nBody", "Sure," + " " * 600 + "\nBody", "a " * 300, "。" * 50, "." * 500, "-" * 500,
    "[" * 300, "<" * 300, "`" * 7 + "x", "(" * 100 + " )", "' " * 100, "\" " * 101, "\u202eevil\u202c", "\ufffd\ufffd", "\U0001f600 \U00010400",
    "ﬁne ﬂow", "Ǆ ǅ ǆ", "İstanbul ısı", "ΣΊΣΥΦΟΣ", "ß ẞ", "𝒳 𝟛", "½ Ⅳ ٣ ३", "a\u0301\u0327", "\u0958", "\u1e9b\u0323", "．。．",
    "A sentence glued.Next one", "U.S.A. and e.g. this", "No.7 v1.2.3 3.14", "They left.\"Then\" what", "(so.)And",
]

FRAGMENTS = [
    "Sure, here:\n", "Title: ", "Heading Line\n\n", "# ", "\n\n", "\n", "  ", " - ", "—", "--", " -", "- ", "1. ", "* ", "\"", " \" ", "'", "''", "``",
    "**", "_", "|", "~", "[a](b)", "[deleted]", "<br>", "https://e.org/x", "URL7", "word", "Word", "don 't", "do n't", "it 's", "can", " na", "gon na",
    ",", " ,", ".", " .", "!!!!", "...", "…", "“", "”", "’", "(", ")", "( ", " )", "%", "$ ", "5", "é", "ı", "İ", "ſ", "中", "。", " 。", "， ", "😀",
    "\u00a0", "\u2028", "\x85", "\u200b", "\ufeff", "\t", "\r\n", "\x0c", "؟ ", "ة",
]


def digest(counts):
    return hashlib.sha256("".join(f"{index}:{int(count)}\n" for index, count in zip(*counts)).encode()).hexdigest()


def feature_case(text, hasher):
    index, count = hasher.counts(text)
    return {
        "text": text,
        "ngrams": {"entries": len(index), "first": [int(i) for i in index[:4]], "sha256": digest((index, count))},
        "style": [float(value) for value in style.style(text)],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--norm", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=OUT)
    args = parser.parse_args()
    spec = importlib.util.spec_from_file_location("norm", args.norm)
    norm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(norm)
    rng = random.Random(data.SEED)
    raws = PROSE + CASES + ["".join(rng.choices(FRAGMENTS, k=rng.randint(2, 30))) for _ in range(RANDOM_CASES)]
    hasher = features.Hasher()
    tokenizer = Tokenizer.from_file(str(pathlib.Path(__file__).resolve().parents[1] / published.TOKENIZER))
    rows = [norm.normalise(text) for text in PROSE]
    odd = [norm.normalise(raw) for raw in CASES if raw.strip()][::9]
    long = " ".join(rows[:3] * 12)
    content = {
        "about": "Written by models/attestd-text/train/make-vectors.py from made-up strings; do not edit.",
        "plan": {"characters": features.CHARACTERS, "words": features.WORDS, "buckets": features.BUCKETS},
        "normalized": [{"raw": raw, "text": norm.normalise(raw)} for raw in raws],
        "features": [feature_case(text, hasher) for text in rows + [text for text in odd if text]],
        "tokens": [{"text": raw, "ids": " ".join(map(str, tokenizer.encode(raw).ids))} for raw in PROSE + CASES],
        "windows": [
            {"text": text, "longest": data.WINDOW, "shortest": data.MIN_CHARACTERS, "ends": [end for _, end in data.windows(text)]}
            for text in (rows[0], long, rows[3] * 20, "word " * 700, "x" * 4000, "😀 ok. " * 600, f"{'x' * 1499}. {'y' * 1501}. The end.")
        ],
    }
    args.out.write_text(json.dumps(content, ensure_ascii=True, indent=1) + "\n")
    print(len(raws), "strings,", len(content["features"]), "feature rows")


if __name__ == "__main__":
    main()
