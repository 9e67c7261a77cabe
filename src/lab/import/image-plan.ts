import { DEFAULT_MIN_SHORT_SIDE, type ImagePreprocessing } from '../../detect/package/image-plan.js'
import type { PreprocessorConfig } from './hugging-face-export.js'
import { SERVE_IT, unsupported } from './import-error.js'
import type { PreprocessingPlan } from './preprocessing-plan.js'

/** Interpolations of Pillow, in the order of their numbers in preprocessor_config.json. */
const KERNELS: readonly ImagePreprocessing['resize']['kernel'][] = ['nearest', 'lanczos3', 'linear', 'cubic', 'box']
const BILINEAR = 2
/** Bytes are scaled by this unless the export states otherwise. */
const RESCALE = 1 / 255
/** The manifest's normalization that leaves bytes as they are. */
const AS_BYTES: ImagePreprocessing['normalize'] = { mean: [0, 0, 0], std: [RESCALE, RESCALE, RESCALE] }
/** ConvNeXt enlarges small inputs by this share before it crops, where the export does not state. */
const CONVNEXT_CROP = 224 / 256
/** As transformers and torchvision keep the aspect. */
const KEPT_ASPECT = { fit: 'short-side', longSide: 'floored' } as const
/** From this size on ConvNeXt stretches the picture and does not crop. */
const CONVNEXT_STRETCH_FROM = 384

/** Steps of image processors that a manifest cannot state, and processors that resize by a rule of their own. */
const FOREIGN_STEPS = ['rescale_offset', 'do_flip_channel_order', 'do_pad'] as const
const FOREIGN_SIZES = /^(?:Levit|Perceiver|PoolFormer)/i

/** Preprocessing for pictures. @param takesBytes whether the network normalizes bytes @throws import-unsupported */
export function imagePlan(
  config: PreprocessorConfig | null,
  takesBytes = false,
): PreprocessingPlan<ImagePreprocessing> {
  if (config === null)
    throw unsupported(
      'An image model needs preprocessor_config.json.',
      'Copy that file from the original model into the export, or write one: size, resample, image_mean and image_std.',
    )
  if (config.do_resize === false) throw unsupported('The export does not resize; the size of its input is not known.')
  refuseForeign(config)
  const guesses: string[] = []
  if (takesBytes) guesses.push('The network takes bytes; it is assumed to normalize them itself.')
  const { crop, ...size } = sizePlan(config, guesses)
  return {
    preprocessing: {
      kind: 'image',
      resize: { ...size, kernel: kernelOf(config.resample, guesses) },
      crops: { size: crop, positions: 'center' },
      normalize: takesBytes ? AS_BYTES : normalization(config, guesses),
      minShortSide: DEFAULT_MIN_SHORT_SIDE,
      refuseFeatureless: false,
    },
    guesses,
  }
}

function refuseForeign(config: PreprocessorConfig): void {
  const processor = config.image_processor_type ?? config.feature_extractor_type ?? ''
  const what = FOREIGN_SIZES.test(processor) ? processor : FOREIGN_STEPS.find((step) => config[step])
  if (what === undefined) return
  throw unsupported(`preprocessor_config.json: ${what} is not supported.`, SERVE_IT)
}

interface SizePlan extends Omit<ImagePreprocessing['resize'], 'kernel'> {
  readonly crop: number
}

function sizePlan(config: PreprocessorConfig, guesses: string[]): SizePlan {
  const { size, crop_size, do_center_crop } = config
  const crop = do_center_crop ? squareSide(crop_size ?? size, 'crop_size') : null
  if (/^ConvNext/i.test(config.image_processor_type ?? config.feature_extractor_type ?? '')) return convNextPlan(config)
  const shortest = typeof size === 'object' ? size.shortest_edge : do_center_crop ? size : undefined
  if (shortest !== undefined) {
    if (crop === null)
      guesses.push('The export keeps the whole picture at its own aspect; only its middle square is scored here.')
    return { shortSide: shortest, ...KEPT_ASPECT, crop: crop ?? shortest }
  }
  const exact = squareSide(size, 'size')
  return { shortSide: exact, fit: 'stretch', crop: crop ?? exact }
}

function convNextPlan({ size, crop_pct }: PreprocessorConfig): SizePlan {
  const crop =
    typeof size === 'object' && size.shortest_edge !== undefined ? size.shortest_edge : squareSide(size, 'size')
  if (crop >= CONVNEXT_STRETCH_FROM) return { shortSide: crop, fit: 'stretch', crop }
  return { shortSide: Math.floor(crop / (crop_pct ?? CONVNEXT_CROP)), ...KEPT_ASPECT, crop }
}

function squareSide(size: PreprocessorConfig['size'], field: string): number {
  if (typeof size === 'number') return size
  const { height, width } = size ?? {}
  if (height === undefined || width === undefined)
    throw unsupported(`preprocessor_config.json: ${field} states no height and width.`)
  if (height !== width)
    throw unsupported(`preprocessor_config.json: ${field} is ${height}x${width}; only squares are supported.`)
  return height
}

function kernelOf(resample: number | undefined, guesses: string[]): ImagePreprocessing['resize']['kernel'] {
  if (resample === undefined) guesses.push('The export states no interpolation; bilinear was taken.')
  const kernel = KERNELS[resample ?? BILINEAR]
  if (kernel === undefined)
    throw unsupported(`preprocessor_config.json: resample ${resample} (of Pillow) is not supported.`)
  return kernel
}

/** The manifest scales bytes by 1/255; another factor moves into mean and deviation. */
function normalization(config: PreprocessorConfig, guesses: string[]): ImagePreprocessing['normalize'] {
  const factor = config.do_rescale === false ? 1 : (config.rescale_factor ?? RESCALE)
  if (config.do_rescale === false)
    guesses.push('The export does not rescale; bytes from 0 to 255 were taken as they are.')
  const normalizes = config.do_normalize ?? true
  const mean = normalizes ? tripleOf(config.image_mean, 'image_mean', guesses) : [0, 0, 0]
  // EfficientNet divides by the deviation once more for the classifier on top of the network.
  const times = Number(normalizes) + Number(config.include_top ?? false)
  const std = times === 0 ? [1, 1, 1] : tripleOf(config.image_std, 'image_std', guesses).map((one) => one ** times)
  const scale = RESCALE / factor
  const scaled = (values: readonly number[]) => values.map((value) => value * scale) as [number, number, number]
  return { mean: scaled(mean), std: scaled(std) }
}

/** Mean and deviation that most networks are trained with. */
const USUAL = 0.5

function tripleOf(given: PreprocessorConfig['image_mean'], field: string, guesses: string[]): readonly number[] {
  if (given === null || given === undefined) guesses.push(`The export states no ${field}; ${USUAL} was taken.`)
  const values = typeof given === 'number' ? [given, given, given] : (given ?? [USUAL, USUAL, USUAL])
  if (values.length !== 3) throw unsupported(`preprocessor_config.json: ${field} has ${values.length} channels, not 3.`)
  return values
}
