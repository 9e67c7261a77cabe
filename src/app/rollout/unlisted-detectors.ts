import { choiceText } from '../../config/detector-choice.js'
import { type DetectorChoice, OTHERS } from '../../detect/package/selection.js'

/** For each package that no list names: why it is a shadow, and the command that lets it score, for people. */
export function unlistedLines(detectors: readonly DetectorChoice[]): string[] {
  const listed = detectors.filter(({ unlisted }) => !unlisted).map(choiceText)
  return detectors
    .filter(({ unlisted }) => unlisted)
    .map(({ id }) => {
      const list = [...listed, id, `${OTHERS}=shadow`].join(',')
      return `${id} is not in the list of detectors, so it runs as a shadow; to let it score: attestd models reload --detectors "${list}"`
    })
}
