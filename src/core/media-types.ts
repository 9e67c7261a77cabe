/** Kinds of media that the service registers. */
export const MEDIA_TYPES = ['image', 'audio', 'video_short', 'video_long', 'text'] as const
/** As the signed-key specification spells them in `mediaType`; from which length on a video is long is not stated. */
export type MediaType = (typeof MEDIA_TYPES)[number]
