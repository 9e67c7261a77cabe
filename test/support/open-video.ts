import { sniffVideoFormat } from '../../src/detect/video/video-format.js'
import { type OpenVideo, openVideo } from '../../src/detect/video/video-probe.js'

/** What `use` makes of an opened video, which is closed after it. */
export async function probe<T>(file: string, use: (video: OpenVideo) => Promise<T> | T): Promise<T> {
  const format = await sniffVideoFormat(file)
  const video = await openVideo(file, { ...format, reader: format.reader! })
  try {
    return await use(video)
  } finally {
    await video.close()
  }
}
