// Runs in the console: draws the last hour by uPlot. See `plots-section.ts` for the elements, `history.ts` for the data.
/* global uPlot */

const HEIGHT = 116
/** Colors of the style sheet, `--k0` and so on. */
const COLORS = 6
const ANSWER_LIMIT_MS = 2500

/** uPlot by id of the plot, with the names of its series. */
const drawn = new Map()

async function load() {
  let everyMs = 10_000
  try {
    const answer = await fetch('/history', { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) })
    if (answer.ok) {
      const history = await answer.json()
      everyMs = history.everyMs
      for (const plot of history.plots) show(plot, history.at)
    }
  } catch {
    // The header says that nobody answers.
  }
  setTimeout(load, everyMs)
}

function show(plot, at) {
  const figure = document.getElementById(`plot-${plot.id}`)
  const names = plot.series.map(({ name }) => name).join()
  let known = drawn.get(plot.id)
  if (known?.names !== names) {
    known?.chart.destroy()
    known = { names, plot, chart: draw(figure, plot) }
    drawn.set(plot.id, known)
  }
  known.plot = plot
  known.chart.setData([at.map((ms) => ms / 1000), ...plot.series.map(({ values }) => values)])
  if (!figure.matches(':hover')) writeLegend(figure, plot, at.length - 1)
}

function draw(figure, plot) {
  const place = figure.querySelector('.plot')
  const color = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name)
  const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
  const options = {
    width: figure.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: 'hour' }, drag: { x: false, y: false }, y: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { y: { range: (_, __, most) => [0, plot.unit === '%' ? 100 : Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, size: 26, values: '{HH}:{mm}' },
      { ...axis, size: 46 },
    ],
    series: [{}, ...plot.series.map((_, nth) => line(color(`--k${nth % COLORS}`), nth))],
    hooks: { setCursor: [(chart) => followCursor(figure, plot.id, chart)] },
  }
  return new uPlot(options, [[], ...plot.series.map(() => [])], place)
}

/** Told apart by more than their color. A value between two gaps has no line, so it gets a point. */
function line(stroke, nth) {
  const alone = ({ data }, series) => {
    const values = data[series]
    const isAlone = (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null
    return values.map((_, at) => at).filter(isAlone)
  }
  const points = { show: true, size: 4, fill: stroke, filter: alone }
  return { stroke, width: 1.5, dash: nth === 0 ? [] : [2 + 3 * nth, 3], points }
}

/** The values under the pointer, otherwise the last ones. */
function followCursor(figure, id, chart) {
  const known = drawn.get(id)
  if (known) writeLegend(figure, known.plot, chart.cursor.idx ?? chart.data[0].length - 1)
}

function writeLegend(figure, { series, unit }, index) {
  const keys = series.flatMap(({ name, values }, nth) => {
    const key = document.createElement('span')
    key.className = `key k${nth % COLORS}`
    const value = document.createElement('b')
    value.textContent = String(values[index] ?? '–')
    key.append(`${name} `, value)
    return [key, ' ']
  })
  figure.querySelector('.legend').replaceChildren(...keys, unit)
}

const redraw = () => {
  for (const { chart } of drawn.values()) {
    chart.setSize({ width: chart.root.parentElement.clientWidth, height: HEIGHT })
    chart.redraw()
  }
}
addEventListener('resize', redraw)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
void load()
