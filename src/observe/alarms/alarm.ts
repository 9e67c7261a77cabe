import type { Reason } from '../../core/reasons.js'

/** One message about an alarm: it began, or it is over. */
export interface Alarm {
  /** Unique; the same in every try to deliver it. */
  readonly id: string
  readonly alarm: Reason | 'deadline-missed' | 'test'
  readonly state: 'firing' | 'resolved'
  /** One sentence for people. */
  readonly summary: string
  /** Local Unix ms. */
  readonly at: number
  readonly machine: string
}

/** What a webhook is sent, by the setting of the template: a JSON text. */
export function alarmBody(template: 'json' | 'slack', { at, ...alarm }: Alarm): string {
  if (template === 'json') {
    return JSON.stringify({ version: 1, ...alarm, severity: 'critical', at: new Date(at).toISOString() })
  }
  const sign = alarm.state === 'firing' ? ':rotating_light:' : ':white_check_mark:'
  return JSON.stringify({
    text: `${sign} *attestd on ${slackText(alarm.machine)}: ${alarm.alarm} ${alarm.state}*\n${slackText(alarm.summary)}`,
  })
}

/** The three characters that Slack asks to escape. */
const slackText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
