const WORDS = {
  samples: 'Pictures of this repository (free; the image network was not trained on them)',
  pack: 'Pictures of the image pack (scored by image networks that never saw their sources)',
}

/** evaluation/report.md from metrics.json. */
export function reportOf({ detector, uses, calibration, decisionBand, preprocessing, sets }) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`
  const auc = ({ auc: value, aucInterval }) =>
    aucInterval === null
      ? value.toFixed(3)
      : `${value.toFixed(3)} (${aucInterval.map((end) => end.toFixed(2)).join(' to ')})`
  const lines = [
    `# ${detector}: figures`,
    '',
    `Frames by ${uses.join(', ')}; at most ${preprocessing.maxFrames} frames, windows of ${preprocessing.windowSeconds} s; calibration`,
    `slope ${calibration.slope}, intercept ${calibration.intercept}; unsure from ${decisionBand.low} to ${decisionBand.high}. Written by \`train/evaluate.mjs --write\`.`,
    '',
    'There is no pack of video. Every clip is a slow pan over one picture, through H.264 (CRF 20 to 32); a clip with a',
    'passage is 24 s long, and another, machine-made picture is shown for 6 s in the middle. Intervals: 95 % bootstrap.',
  ]
  for (const [name, set] of Object.entries(sets)) {
    lines.push(
      '',
      `## ${WORDS[name]}`,
      '',
      '| clips | real | fake | AUC | found at 5 % false alarms |',
      '|---|---|---|---|---|',
    )
    const row = (what, one) => `| ${what} | ${one.real} | ${one.fake} | ${auc(one)} | ${percent(one.tprAtFpr5)} |`
    lines.push(row('machine-made throughout', set.whole), row('a machine-made passage of 6 s in 24 s', set.passage))
    lines.push(row('the same, the whole clip as one window', set.passageWithoutWindows))
    for (const [source, one] of Object.entries(set.byGenerator)) lines.push(row(source, one))
    lines.push('', '| clips | number | risk 50 or more | above the band | unsure |', '|---|---|---|---|---|')
    for (const [what, one] of [
      ['real', set.realClips],
      ['machine-made', set.fakeClips],
      ['with a passage', set.passageClips],
    ]) {
      lines.push(
        `| ${what} | ${one.clips} | ${percent(one.atLeast50)} | ${percent(one.aboveBand)} | ${percent(one.unsure)} |`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}
