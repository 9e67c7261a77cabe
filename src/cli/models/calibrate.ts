import { type Command, Option } from 'commander'
import type { CalibrationReport } from '../../lab/calibrate/calibration-report.js'
import { METHODS, type Method } from '../../lab/calibrate/fit-calibration.js'
import { decimal, percent } from '../../lab/report/figure-text.js'
import { numberFlag } from '../flags/numbers.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import { type DataFlags, dataOptions, LAB_KEYS, withDataFlags, withProgress } from './lab-flags.js'

interface CalibrateFlags extends DataFlags {
  readonly method: Method
  readonly accuracy: string
  readonly write?: boolean
  readonly json?: boolean
}

export function modelsCalibrateVerb(): Command {
  const verb = verbWithSettings(
    'calibrate',
    'Fit a calibration from logit to probability, measured on rows that the fit did not see; suggest a decision band.',
    LAB_KEYS,
  )
  withDataFlags(verb.argument('<package>', 'id in the models directory, or path of a package folder'))
    .addOption(new Option('--method <method>', 'what is fitted').choices(METHODS).default('platt'))
    .option('--accuracy <share>', 'share of verdicts that must be right at even odds; on each side 0.05 less', '0.85')
    .option('--write', 'write calibration, band and the risk of the self-test to detector.json')
    .option('--json', 'the whole report as JSON')
  return verb.action(async (named: string, flags: CalibrateFlags) => {
    const { settings } = settingsOf(verb)
    const { calibrateModel } = await import('../../app/lab/calibrate-model.js')
    const options = {
      data: flags.data,
      ...(await dataOptions(flags)),
      method: flags.method,
      accuracy: numberFlag('--accuracy', flags.accuracy, 0.5, 1) ?? 0.85,
      write: flags.write ?? false,
    }
    const report = await withProgress((watch) => calibrateModel(settings, named, { ...options, ...watch }))
    printFound(flags.json, report, () => summary(report, options.write))
  })
}

function summary(report: CalibrationReport, written: boolean): string {
  const { after, bandAfter, bandBefore, before, calibration, data, detector, heldOut, method } = report
  const bandText = ({ low, high }: { low: number; high: number }) => `${low} to ${high}`
  const rows: [figure: string, before: string, after: string][] = [
    ['calibration error', decimal(before.ece), decimal(after.ece)],
    ['Brier score', decimal(before.brier), decimal(after.brier)],
    ['log loss', decimal(before.logLoss), decimal(after.logLoss)],
    ['decision band', bandText(bandBefore), bandText(bandAfter)],
    ['  decided', percent(bandBefore.decided), percent(bandAfter.decided)],
    ['  right', percent(bandBefore.right), percent(bandAfter.right)],
    ['    at least, over sources', percent(bandBefore.rightAtLeast), percent(bandAfter.rightAtLeast)],
    ['  right when machine-made', percent(bandBefore.rightWhenFake), percent(bandAfter.rightWhenFake)],
    ['  right when real', percent(bandBefore.rightWhenReal), percent(bandAfter.rightWhenReal)],
  ]
  const lines = [
    `${detector.id}@${detector.version}, ${method} on ${data.real} real and ${data.fake} fake rows, weighted to even odds`,
    ...(data.unscored ? [`${data.unscored} more rows got no score and are left out.`] : []),
    '',
    table(rows, [
      { title: '', of: ([figure]) => figure },
      { title: 'before', right: true, of: ([, before]) => before },
      { title: 'after', right: true, of: ([, , after]) => after },
    ]),
    '',
    `After: each row judged by a fit on other ${heldOut === 'source' ? 'sources' : 'rows'}. Its verdicts, at even odds, by a band chosen on the other half. Asked for: ${percent(report.accuracy)} right.`,
    ...(bandAfter.high === 1
      ? ['On these rows no risk is high enough for that; the detector would never call a file fake.']
      : []),
    ...(bandAfter.low === 0
      ? ['On these rows no risk is low enough for that; the detector would never call a file real.']
      : []),
    `Fitted: ${JSON.stringify(calibration).slice(0, 300)}`,
    written
      ? 'Written to detector.json; the digest changed, so the package must be admitted again.'
      : 'Nothing was written (--write).',
  ]
  return lines.join('\n')
}
