import { asRisk, riskText } from '../../core/risk.js'
import { type Html, html } from '../../observe/console/html.js'
import type { Evaluation, Mistake } from '../evaluate/evaluation.js'

/** `data:` URLs of small pictures, by row id. */
export type Thumbnails = ReadonlyMap<string, string>

/** The worst mistakes of both kinds. */
export const mistakeCards = ({ real, fake }: Evaluation['mistakes'], thumbnails: Thumbnails): Html =>
  html`${cards('Real, but the highest risks', real, thumbnails)}${cards('Fake, but the lowest risks', fake, thumbnails)}`

function cards(title: string, mistakes: readonly Mistake[], thumbnails: Thumbnails): Html {
  const kind = mistakes.some(({ id }) => thumbnails.has(id)) ? 'cards' : 'cards words'
  const body =
    mistakes.length === 0
      ? html`<p class="note">None: every file of this class lies on its side of 50.</p>`
      : html`<div class="${kind}">${mistakes.map((each) => card(each, thumbnails.get(each.id)))}</div>`
  return html`<section class="wide"><h2>${title}</h2>${body}</section>`
}

function card({ id, risk, unsureBecause, note, columns }: Mistake, picture: string | undefined): Html {
  const origin = [columns.source, columns.generator].filter((each) => each !== undefined && each !== '-').join(' · ')
  const image = picture === undefined ? null : html`<img alt="" src="${picture}">`
  const unsure = unsureBecause === null ? null : html` <span class="warn">unsure</span>`
  return html`<div class="card">${image}<b>${riskText(asRisk(risk), 1)}</b>${unsure}<br>${id}<br><span class="soft">${origin}${origin === '' ? null : html`<br>`}${note}</span></div>`
}
