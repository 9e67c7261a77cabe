/** Kinds of media that the service registers. */
export const MEDIA_TYPES = ['image', 'audio', 'video_short', 'video_long', 'text'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]
