/** Longest algorithm label that is sent, characters; the signed-key specification says "short". */
export const ALGORITHM_MAX = 200
/** Longest notes that are sent, characters; the specifications name no limit. */
export const NOTES_MAX = 2000
/** Longest title that is kept, characters; the specifications name no limit. */
export const TITLE_MAX = 500
