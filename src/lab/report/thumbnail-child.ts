import { errorText } from '../../core/errors.js'
import { decodeImage } from '../../detect/image/image-decode.js'
import { rawImage } from '../../detect/image/picture.js'
import { type FromThumbnailChild, THUMBNAIL, toThumbnailChildSchema } from './thumbnail-messages.js'

// Entry of the process that decodes pictures for a report; files of an evaluation are as hostile as any.

async function thumbnail(file: string): Promise<FromThumbnailChild> {
  try {
    const small = await rawImage(await decodeImage(file, THUMBNAIL))
      .resize(THUMBNAIL.side, THUMBNAIL.side, { fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: THUMBNAIL.quality })
      .toBuffer()
    return { jpeg: small.toString('base64') }
  } catch (error) {
    return { failed: errorText(error).slice(0, 200) }
  }
}

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (raw) => {
  void thumbnail(toThumbnailChildSchema.parse(raw).file).then((answer) => process.send?.(answer))
})
