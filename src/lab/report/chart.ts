import { Html, html } from '../../observe/console/html.js'

/** Size of a chart's drawing area and the room for its axes, in units of its view box. */
const AREA = { width: 300, height: 220, left: 44, right: 12, top: 10, bottom: 36 } as const
/** Where both axes have their ticks. */
export const TICKS = [0, 0.25, 0.5, 0.75, 1]
const NUMBERS = TICKS.map(String)

/** A point in the unit square. */
export type Point = readonly [x: number, y: number]

export interface ChartAxes {
  readonly x: string
  readonly y: string
  /** Read out in place of the picture. */
  readonly label: string
  /** Texts of the ticks of x, from the left. @default 0 to 1 */
  readonly xTicks?: readonly string[]
  /** Texts of the ticks of y, from the bottom up. @default 0 to 1 */
  readonly yTicks?: readonly string[]
}

/** An inline SVG over the unit square, with axes; `content` comes from the functions below. */
export function chart({ x, y, label, xTicks = NUMBERS, yTicks = NUMBERS }: ChartAxes, content: readonly Html[]): Html {
  const { width, height, left, right, top, bottom } = AREA
  const ticks = TICKS.map(
    (
      tick,
      index,
    ) => html`<line class="grid-line" x1="${at(tick, 0)[0]}" x2="${at(tick, 0)[0]}" y1="${top}" y2="${top + height}"/>
<line class="grid-line" x1="${left}" x2="${left + width}" y1="${at(0, tick)[1]}" y2="${at(0, tick)[1]}"/>
<text x="${at(tick, 0)[0]}" y="${top + height + 14}" text-anchor="middle">${xTicks[index] ?? ''}</text>
<text x="${left - 6}" y="${at(0, tick)[1] + 4}" text-anchor="end">${yTicks[index] ?? ''}</text>`,
  )
  return html`<svg class="chart" viewBox="0 0 ${left + width + right} ${top + height + bottom}" role="img" aria-label="${label}">
${ticks}${content}
<text class="axis" x="${left + width / 2}" y="${top + height + 30}" text-anchor="middle">${x}</text>
<text class="axis" transform="translate(11 ${top + height / 2}) rotate(-90)" text-anchor="middle">${y}</text></svg>`
}

/** A line through points. */
export const line = (points: readonly Point[], tone: string): Html =>
  html`<polyline class="${tone}" points="${points.map(([x, y]) => at(x, y).join(',')).join(' ')}"/>`

/** A dot; `label` is shown while the pointer rests on it. */
export function dot([x, y]: Point, radius: number, tone: string, label: string): Html {
  const [left, top] = at(x, y)
  return html`<circle class="${tone}" cx="${left}" cy="${top}" r="${radius}"><title>${label}</title></circle>`
}

/** Bars that stand on the x axis and share the width evenly. */
export const bars = (heights: readonly number[], tone: string, label: (index: number) => string): Html[] =>
  heights.map((height, index) =>
    stretch(index / heights.length, (index + 1) / heights.length, tone, label(index), height),
  )

/** A stretch of the x axis, such as the decision band. */
export function stretch(from: number, to: number, tone: string, label: string, height = 1): Html {
  const [left, top] = at(from, height)
  const [right, bottom] = at(to, 0)
  return html`<rect class="${tone}" x="${left}" y="${top}" width="${rounded(right - left)}" height="${rounded(bottom - top)}"><title>${label}</title></rect>`
}

/** A value with its interval on a line from 0 to 1, for a table cell. */
export function intervalBar(value: number, low: number, high: number): Html {
  const place = (share: number) => rounded(2 + share * 116)
  return html`<svg class="interval" viewBox="0 0 120 12" aria-hidden="true"><line class="grid-line" x1="2" x2="118" y1="6" y2="6"/>
<line class="grid-line" x1="${place(0.5)}" x2="${place(0.5)}" y1="1" y2="11"/>
<line class="whisker" x1="${place(low)}" x2="${place(high)}" y1="6" y2="6"/><circle class="point" cx="${place(value)}" cy="6" r="3.2"/></svg>`
}

function at(x: number, y: number): [number, number] {
  const { width, height, left, top } = AREA
  return [rounded(left + x * width), rounded(top + (1 - y) * height)]
}

const rounded = (value: number): number => Number(value.toFixed(1))

/** What the classes used above look like, for the page's style sheet. */
export const CHART_STYLE = new Html(`
.chart{width:100%;height:auto;display:block}
.chart text{font-size:10px;fill:var(--soft)}.chart text.axis{font-size:11px;fill:var(--ink)}
.grid-line{stroke:var(--line);stroke-width:1}
.curve{fill:none;stroke:var(--accent);stroke-width:2.2;stroke-linejoin:round}
.chance{fill:none;stroke:var(--soft);stroke-width:1;stroke-dasharray:4 4}
.point{fill:var(--accent)}.whisker{stroke:var(--accent);stroke-width:2.4;opacity:.45}
.real{fill:var(--ok);opacity:.55}.fake{fill:var(--bad);opacity:.5}.band{fill:var(--warn);opacity:.13}
.interval{width:120px;height:12px;vertical-align:middle}
`)
